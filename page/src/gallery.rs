//! Which test digits the gallery shows: filtered by class and by mistake, a page at a time.

use capscope_protocol::Predictions;

/// Digits on a page.
pub const PAGE: usize = 24;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only digits labelled so.
    pub class: Option<u8>,
    /// Only digits that were read wrong.
    pub mistakes: bool,
    /// A cell of the confusion matrix, label and reading: only its digits, whatever else is chosen.
    pub cell: Option<(u8, u8)>,
}

impl Filter {
    /// Whether a digit whose reading is known is shown.
    fn passes(&self, label: u8, read: u8) -> bool {
        match self.cell {
            Some(cell) => cell == (label, read),
            None => self.class.is_none_or(|class| class == label) && (!self.mistakes || label != read),
        }
    }
}

/// The test digits that the filter lets through, by their places among the 10 000. Where all have been read, those are
/// all; otherwise the ones that come with the page, given as places and labels, of which nobody knows yet how they
/// are read.
pub fn places(filter: Filter, all: Option<&Predictions>, with_the_page: (&[u32], &[u8])) -> Vec<u32> {
    match all {
        Some(all) => (0u32..)
            .zip(all.labels.iter().zip(&all.predictions))
            .filter(|(_, (label, read))| filter.passes(**label, **read))
            .map(|(place, _)| place)
            .collect(),
        None if filter.mistakes || filter.cell.is_some() => Vec::new(),
        None => {
            let (places, labels) = with_the_page;
            let of_class = |label: u8| filter.class.is_none_or(|class| class == label);
            places.iter().zip(labels).filter(|(_, label)| of_class(**label)).map(|(place, _)| *place).collect()
        }
    }
}

/// How many pages there are; one at least.
pub fn pages(count: usize) -> usize {
    count.div_ceil(PAGE).max(1)
}

/// The places on a page, counted from 0; the last page if there are fewer.
pub fn page(places: &[u32], page: usize) -> &[u32] {
    let start = page.min(pages(places.len()) - 1) * PAGE;
    &places[start..places.len().min(start + PAGE)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use capscope_protocol::Network;

    fn all() -> Predictions {
        let labels = vec![7, 2, 1, 0, 4, 1, 4];
        let predictions = vec![7, 2, 7, 0, 9, 1, 4];
        Predictions { network: Network::Yours, step: 3, labels, predictions }
    }

    #[test]
    fn filters_by_class_and_by_mistake() {
        let (all, none) = (all(), (&[][..], &[][..]));
        let shown = |class, mistakes| places(Filter { class, mistakes, cell: None }, Some(&all), none);
        assert_eq!(shown(None, false), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(shown(None, true), [2, 4]);
        assert_eq!(shown(Some(1), false), [2, 5]);
        assert_eq!(shown(Some(1), true), [2]);
        assert!(shown(Some(9), false).is_empty());
        let of_cell = |cell| places(Filter { class: Some(7), mistakes: true, cell: Some(cell) }, Some(&all), none);
        assert_eq!((of_cell((4, 9)), of_cell((4, 4)), of_cell((9, 4))), (vec![4], vec![6], vec![]));
    }

    #[test]
    fn before_all_are_read_there_are_those_that_come_with_the_page_and_no_known_mistakes() {
        let page = (&[15, 3, 8][..], &[5, 0, 5][..]);
        assert_eq!(places(Filter::default(), None, page), [15, 3, 8]);
        assert_eq!(places(Filter { class: Some(5), ..Filter::default() }, None, page), [15, 8]);
        assert!(places(Filter { mistakes: true, ..Filter::default() }, None, page).is_empty());
        assert!(places(Filter { cell: Some((5, 5)), ..Filter::default() }, None, page).is_empty());
    }

    #[test]
    fn pages_hold_every_place_once() {
        let places: Vec<u32> = (0..50).collect();
        assert_eq!((pages(0), pages(24), pages(25), pages(50)), (1, 1, 2, 3));
        let together: Vec<u32> = (0..3).flat_map(|number| page(&places, number)).copied().collect();
        assert_eq!(together, places);
        assert_eq!(page(&places, 99), &places[48..]);
        assert!(page(&[], 0).is_empty());
    }
}
