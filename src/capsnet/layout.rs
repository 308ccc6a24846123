//! The parameters in one flat buffer: which tensor lies where. Gradients and moments have the same layout.

use super::Config;

/// Tensors start at multiples of so many elements: 256 bytes, WebGPU's default alignment of storage offsets.
const ALIGNMENT: usize = 64;

/// One parameter tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// PyTorch's name, such as `conv1.weight`.
    pub name: String,
    /// PyTorch's shape: convolutions O, I, k, k; dense layers out, in; votes I, J, out, in.
    pub shape: Vec<usize>,
    /// First element in the flat buffer.
    pub offset: usize,
}

impl Entry {
    /// Its length in elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// Where it lies in the flat buffer.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.elements()
    }
}

/// All parameter tensors of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In the order of the flat buffer.
    pub entries: Vec<Entry>,
    /// Length of the flat buffer, padding included.
    pub elements: usize,
}

impl Layout {
    /// The layout of a network's parameters.
    pub fn new(config: &Config) -> Self {
        let mut layout = Layout { entries: vec![], elements: 0 };
        let first = config.conv1_shape();
        let primary = config.primary_shape();
        for (name, conv) in [("conv1", first), ("primary", primary)] {
            let shape = [conv.channels_out, conv.channels_in, conv.kernel, conv.kernel];
            layout.push(format!("{name}.weight"), &shape);
            layout.push(format!("{name}.bias"), &[conv.channels_out]);
        }
        let (mut children, mut dims_in) = (config.primary_capsules(), config.primary.dims);
        for layer in &config.routed {
            layout.push(format!("{}.weight", layer.name), &[children, layer.parents, layer.dims, dims_in]);
            for (name, shape) in layer.tensors(children) {
                layout.push(format!("{}.{name}", layer.name), &shape);
            }
            (children, dims_in) = (layer.parents, layer.dims);
        }
        let mut inputs = children * dims_in;
        for (index, &outputs) in config.decoder.hidden.iter().chain([&config.pixels()]).enumerate() {
            layout.push(format!("decoder.{index}.weight"), &[outputs, inputs]);
            layout.push(format!("decoder.{index}.bias"), &[outputs]);
            inputs = outputs;
        }
        layout
    }

    fn push(&mut self, name: String, shape: &[usize]) {
        let entry = Entry { name, shape: shape.to_vec(), offset: self.elements };
        self.elements = entry.range().end.next_multiple_of(ALIGNMENT);
        self.entries.push(entry);
    }

    /// The tensor of a name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Trainable parameters, without the padding.
    pub fn parameters(&self) -> usize {
        self.entries.iter().map(Entry::elements).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsnet::Preset;

    #[test]
    fn presets_have_the_parameters_that_capsules_should() {
        let counts = Preset::ALL.map(|preset| Layout::new(&preset.config()).parameters());
        assert_eq!(counts, [180_144, 792_496, 8_215_728]);
        // Without the digit bias: the paper's network, whose often cited 8 238 608 counts coefficients and logits too.
        let mut paper = Preset::Paper.config();
        paper.routed[0].bias = false;
        assert_eq!(Layout::new(&paper).parameters(), 8_215_568);
        // The paper's 11.36 M parameters belong to its 36 × 36 network for overlapping digits.
        let wide = Config { height: 36, width: 36, ..paper };
        assert_eq!(Layout::new(&wide).parameters(), 11_361_808);
    }

    #[test]
    fn tensors_are_aligned_and_do_not_overlap() {
        let layout = Layout::new(&Preset::Compact.config());
        for pair in layout.entries.windows(2) {
            assert!(pair[0].range().end <= pair[1].offset && pair[1].offset % ALIGNMENT == 0);
        }
        assert_eq!(layout.elements % ALIGNMENT, 0);
    }

    /// Fault seen in public code: a decoder fed 16 values instead of 160.
    #[test]
    fn the_decoder_reads_all_poses() {
        let layout = Layout::new(&Preset::Compact.config());
        assert_eq!(layout.find("decoder.0.weight").map(|entry| entry.shape.clone()), Some(vec![128, 160]));
    }
}
