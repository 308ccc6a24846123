//! The works that the article cites. They are named as they were printed, in whatever language the page speaks.

/// Authors, title and place as they are printed, and the address. Numbered from 1.
pub const SOURCES: [(&str, &str, &str); 10] = [
    (
        "S. Sabour, N. Frosst, G. E. Hinton",
        "Dynamic Routing Between Capsules. NeurIPS 2017",
        "https://arxiv.org/abs/1710.09829",
    ),
    (
        "G. E. Hinton, S. Sabour, N. Frosst",
        "Matrix Capsules with EM Routing. ICLR 2018",
        "https://openreview.net/forum?id=HJWLfGWRb",
    ),
    (
        "V. Mazzia, F. Salvetti, M. Chiaberge",
        "Efficient-CapsNet: Capsule Network with Self-Attention Routing. 2021",
        "https://arxiv.org/abs/2101.12491",
    ),
    (
        "I. Paik, T. Kwak, I. Kim",
        "Capsule Networks Need an Improved Routing Algorithm. ACML 2019",
        "https://arxiv.org/abs/1907.13327",
    ),
    (
        "J. Gu, V. Tresp",
        "Improving the Robustness of Capsule Networks to Image Affine Transformations. CVPR 2020",
        "https://arxiv.org/abs/1911.07968",
    ),
    (
        "J. Gu, V. Tresp, H. Hu",
        "Capsule Network is Not More Robust than Convolutional Network. CVPR 2021",
        "https://arxiv.org/abs/2103.15459",
    ),
    ("E. Xi, S. Bing, Y. Jin", "Capsule Network Performance on Complex Data. 2017", "https://arxiv.org/abs/1712.03480"),
    (
        "M. Mitterreiter, M. Koch, J. Giesen, S. Laue",
        "Why Capsule Neural Networks Do Not Scale: Challenging the Dynamic Parse-Tree Assumption. AAAI 2023",
        "https://arxiv.org/abs/2301.01583",
    ),
    (
        "D. Peer, S. Stabinger, A. Rodríguez-Sánchez",
        "Limitation of Capsule Networks. Pattern Recognition Letters, 2021",
        "https://arxiv.org/abs/1905.08744",
    ),
    (
        "P. Barham, M. Isard",
        "Machine Learning Systems are Stuck in a Rut. HotOS 2019",
        "https://doi.org/10.1145/3317550.3321441",
    ),
];
