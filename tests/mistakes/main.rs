//! Mistakes that are public, common and invisible in the accuracy: networks with them still report 99.3 to 99.7 %. For
//! each, one test asserts the right value through this program's own code, and computes in a few lines what the fault
//! gives, so that the same check is seen to refuse it.
//!
//! | fault seen in public code | test |
//! |---|---|
//! | softmax over the children, not the parents | `routing::softmax_is_over_the_parents` |
//! | logits shared or averaged over the batch | `routing::no_logits_are_shared_in_a_batch` |
//! | a capsule made of neighbouring pixels of one map | `capsules::a_capsule_is_made_of_channels` |
//! | squash over the wrong axis, or element-wise | `capsules::squash_is_over_a_capsules_own_dimensions` |
//! | NaN at zero norm, forward or backward | `capsules::zero_stays_zero` |
//! | ReLU before the primary squash | `capsules::negative_components_survive` |
//! | r updates plus a final pass | `routing::r_iterations_are_r_softmaxes` |
//! | routing only while training | `routing::evaluation_routes_like_training` |
//! | logits kept between batches | `routing::every_pass_starts_from_zero` |
//! | hinge not squared, or averaged over the classes | `losses::the_margin_is_squared_and_summed` |
//! | lengths softmaxed before the margin | `losses::lengths_are_not_softmaxed` |
//! | mean of the pixel differences instead of their sum | `losses::pixel_differences_are_summed` |
//! | decoder masked by the prediction while training, by the label at test | `losses::the_mask_is_the_labels_in_training_and_the_longest_when_read` |
//! | decoder fed 16 values instead of 160 | `losses::the_decoder_takes_all_poses` |
//! | offsets re-squashed, on another capsule, without a zero column | `losses::a_bent_pose_is_decoded_as_it_is_and_only_its_block_counts` (and engine.rs) |
//! | accuracy by integer division, over one batch, by softmax across the batch | `data::accuracy_is_over_all_images_and_over_the_classes` |
//! | test images augmented | `data::test_images_are_never_shifted` |
//! | a loss called "error" | `data::a_loss_is_not_an_error_rate` |
//! | batch of one | `data::every_operation_takes_one_image_and_seven` |
//! | ragged last batch | `data::a_ragged_batch_is_averaged_over_its_own_images` |
//! | inputs standardised against a sigmoid decoder | `data::inputs_are_targets_that_a_sigmoid_can_reach` |
//! | drawn digits black on white, off-centre, of the wrong scale | `data::drawn_digits_are_made_as_mnist_was` |
//!
//! Not here: overlapping digits of the same class. There are no overlapping digits in this program yet.

#[path = "../twins/mod.rs"]
mod twins;

mod capsules;
mod data;
mod losses;
mod routing;
