//! Several cores where there are any: fixed pieces of work, each with one owner, so that results do not depend on how
//! many threads share them. In a page there is one thread (shared memory needs headers that static hosts cannot send).

/// Calls `work(index, piece)` for each `length` elements of `all`; the last piece may be shorter.
pub(crate) fn for_each<T: Send>(all: &mut [T], length: usize, work: impl Fn(usize, &mut [T]) + Send + Sync) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        use rayon::prelude::*;
        all.par_chunks_mut(length).enumerate().for_each(|(index, piece)| work(index, piece));
    }
    #[cfg(target_arch = "wasm32")]
    all.chunks_mut(length).enumerate().for_each(|(index, piece)| work(index, piece));
}

/// [`for_each`] over two slices cut in step.
pub(crate) fn for_each_pair<T: Send, U: Send>(
    (first, first_length): (&mut [T], usize),
    (second, second_length): (&mut [U], usize),
    work: impl Fn(usize, &mut [T], &mut [U]) + Send + Sync,
) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        use rayon::prelude::*;
        first
            .par_chunks_mut(first_length)
            .zip(second.par_chunks_mut(second_length))
            .enumerate()
            .for_each(|(index, (a, b))| work(index, a, b));
    }
    #[cfg(target_arch = "wasm32")]
    first
        .chunks_mut(first_length)
        .zip(second.chunks_mut(second_length))
        .enumerate()
        .for_each(|(index, (a, b))| work(index, a, b));
}
