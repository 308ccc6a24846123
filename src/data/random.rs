//! A seeded generator whose every output is the same on every machine: ChaCha with 8 rounds (D. J. Bernstein,
//! "ChaCha, a variant of Salsa20"), integer arithmetic, IEEE basic operations, and `libm` for the one logarithm.
//!
//! `rand_distr` is not used: its logarithms go through `num-traits`, which another dependency may switch to the
//! platform's own libm, and then native and WebAssembly weights would differ in their last bits.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// What a sequence of random numbers is for. Each has its own ChaCha stream of the same seed, so drawing more numbers
/// for one purpose never changes another. The numbers are part of the saved format: append, never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u64)]
pub enum Stream {
    /// Initial weights.
    Parameters = 0,
    /// The order of the images in each epoch.
    Shuffle = 1,
    /// The shift of each training image.
    Augmentation = 2,
    /// Which images are laid over each other.
    Pairs = 3,
}

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    stream: Stream,
    generator: ChaCha8Rng,
}

/// Where a [`Random`] stands; [`Random::restore`] goes on from there with the very next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomState {
    /// The seed that the run was started with.
    pub seed: u64,
    /// Which of the seed's streams this is.
    pub stream: Stream,
    /// How many 32-bit words have been drawn from the stream.
    pub word: u64,
}

impl Random {
    /// The given stream of a seed, from its start. The ChaCha key is the seed's eight bytes, lowest first, then zeros;
    /// the nonce is the stream's number.
    pub fn new(seed: u64, stream: Stream) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream as u64);
        Self { seed, stream, generator }
    }

    /// Goes on where [`Random::state`] was taken.
    pub fn restore(state: RandomState) -> Self {
        let mut random = Self::new(state.seed, state.stream);
        random.generator.set_word_pos(u128::from(state.word));
        random
    }

    /// The position, to be saved beside whatever this stream has produced.
    pub fn state(&self) -> RandomState {
        // The position has 68 bits; no run draws 2^64 words.
        RandomState { seed: self.seed, stream: self.stream, word: self.generator.get_word_pos() as u64 }
    }

    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.generator.next_u32()
    }

    /// A whole number in `0..n`, each equally likely (D. Lemire, "Fast random integer generation in an interval", 2019).
    ///
    /// # Panics
    /// If `n` is 0: there is no such number.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "no number is below 0");
        // The first 2^32 mod n low halves would favour some results: those draws are thrown away.
        let surplus = n.wrapping_neg() % n;
        loop {
            let product = u64::from(self.bits()) * u64::from(n);
            if product as u32 >= surplus {
                return (product >> 32) as u32;
            }
        }
    }

    /// A number in `[0, 1)`, a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A standard normal number, by Marsaglia's polar method. The pair's second number is dropped, so that the state
    /// is nothing but a position.
    pub fn normal(&mut self) -> f64 {
        loop {
            let u = 2.0 * self.uniform() - 1.0;
            let v = 2.0 * self.uniform() - 1.0;
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                return u * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// A standard normal number cut at two standard deviations: what lies beyond is drawn again.
    pub fn normal_cut(&mut self) -> f64 {
        loop {
            let value = self.normal();
            if value.abs() <= 2.0 {
                return value;
            }
        }
    }

    /// Puts `items` into a random order, each equally likely (Fisher and Yates).
    ///
    /// # Panics
    /// If there are more than `u32::MAX` items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        let count = u32::try_from(items.len()).expect("at most u32::MAX items can be shuffled");
        for last in (1..count).rev() {
            items.swap(last as usize, self.below(last + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The words and integers below come from an independent ChaCha8 in Python that was written from the paper.

    #[test]
    fn words_are_those_of_chacha8() {
        let expected = [
            (Stream::Parameters, [0x198f_a887, 0x5927_3471, 0x169d_f72b, 0x4923_8aa4]),
            (Stream::Shuffle, [0xe846_98be, 0xc6e0_8c69, 0x6015_6b49, 0x33b4_ab76]),
            (Stream::Augmentation, [0x7e98_04fd, 0x3a28_d901, 0x9593_5bb3, 0x8afc_f295]),
            (Stream::Pairs, [0x4646_5e4e, 0x74ee_5ce4, 0x3d4a_0cbe, 0xac05_b87a]),
        ];
        for (stream, words) in expected {
            let mut random = Random::new(42, stream);
            assert_eq!(words, std::array::from_fn(|_| random.bits()), "{stream:?}");
        }
    }

    #[test]
    fn integers_and_orders_are_pinned() {
        let mut random = Random::new(42, Stream::Shuffle);
        assert_eq!([9, 7, 3, 2, 3, 6, 7, 1, 8, 6, 9, 4], std::array::from_fn(|_| random.below(10)));

        // A bound that rejects three of these nine words.
        let mut random = Random::new(42, Stream::Shuffle);
        let expected = [2_330_591_513, 1_125_980_487, 605_926_655, 2_175_679_754, 323_461_261, 2_648_179_379];
        assert_eq!(expected, std::array::from_fn(|_| random.below(3_000_000_000)));
        assert_eq!(random.state().word, 9);

        let mut items: [u8; 10] = std::array::from_fn(|i| i as u8);
        Random::new(42, Stream::Shuffle).shuffle(&mut items);
        assert_eq!(items, [4, 5, 0, 2, 7, 8, 1, 3, 6, 9]);
    }

    #[test]
    fn floats_are_pinned_to_the_bit() {
        let mut random = Random::new(42, Stream::Augmentation);
        let expected = [0.227_185_786_118_383_25, 0.542_922_173_995_589_7, 0.553_112_511_513_303_3];
        assert_eq!(expected, std::array::from_fn(|_| random.uniform()));

        let mut random = Random::new(42, Stream::Parameters);
        let expected: [u64; 6] = [
            0xbfed_ae45_ecef_bd54,
            0xbfbd_2329_4b76_f01c,
            0xbfb3_1d27_c0fb_c524,
            0xbfc4_4de6_e5bf_661a,
            0x3fd6_20b7_38db_d7e3,
            0xbfff_6cde_822c_d88f,
        ];
        assert_eq!(expected, std::array::from_fn(|_| random.normal_cut().to_bits()));
        assert_eq!(random.state().word, 28);
    }

    #[test]
    fn a_restored_stream_goes_on() {
        for drawn in [0, 1, 2, 15, 16, 63, 64, 65, 1000] {
            let mut random = Random::new(7, Stream::Augmentation);
            for _ in 0..drawn {
                random.bits();
            }
            let mut restored = Random::restore(random.state());
            assert_eq!(restored.state(), random.state());
            for _ in 0..200 {
                assert_eq!(restored.normal().to_bits(), random.normal().to_bits(), "after {drawn} words");
            }
        }
    }

    #[test]
    fn a_cut_normal_has_the_moments_of_one() {
        let mut random = Random::new(1, Stream::Parameters);
        let values: Vec<f64> = (0..200_000).map(|_| random.normal_cut()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64;
        assert!(values.iter().all(|v| v.abs() <= 2.0));
        assert!(mean.abs() < 0.01, "{mean}");
        // 1 − 4φ(2)/(2Φ(2) − 1)
        assert!((variance - 0.773_741).abs() < 0.01, "{variance}");
    }
}
