//! One generic twin, bound to both precisions.

/// Implements `twin` and `twin_double` inside an `impl Operation` by a method `run<T: Real>(&self, call: Call<T>)`.
macro_rules! twins {
    () => {
        fn twin(&self, call: $crate::plan::Call<'_, f32>) {
            self.run(call)
        }
        fn twin_double(&self, call: $crate::plan::Call<'_, f64>) {
            self.run(call)
        }
    };
}
pub(crate) use twins;
