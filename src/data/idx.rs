//! The IDX format of MNIST and its relatives: big-endian magic, counts, then bytes (Y. LeCun's description: 0x00000803
//! for images, 0x00000801 for labels). Raw or gzip is told by the first two bytes, because some hosts unpack `.gz` on
//! the way.

use std::fmt;
use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;

/// No data set of this kind is larger; what claims to be is refused before anything is allocated.
const MAX_BYTES: u64 = 1 << 30;

/// Deflate cannot pack more than this many bytes into one (zlib's technical notes: 1032:1).
const MAX_DEFLATE_RATIO: u64 = 1032;

/// What a file was given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdxKind {
    /// Images: magic 0x00000803, then count, height and width.
    Images,
    /// Labels: magic 0x00000801, then the count.
    Labels,
}

impl IdxKind {
    const fn magic(self) -> u32 {
        match self {
            Self::Images => 0x0803,
            Self::Labels => 0x0801,
        }
    }

    const fn header_bytes(self) -> usize {
        match self {
            Self::Images => 16,
            Self::Labels => 8,
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Images => Self::Labels,
            Self::Labels => Self::Images,
        }
    }
}

impl fmt::Display for IdxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Images => "images",
            Self::Labels => "labels",
        })
    }
}

/// Why a file is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdxError {
    /// The file ends inside its header.
    #[error("The file of {kind} is only {found} bytes long, less than an IDX header ({needed}); fetch it again.")]
    HeaderTruncated {
        /// What the file was given as.
        kind: IdxKind,
        /// Bytes of the header.
        needed: usize,
        /// Bytes in the file, unpacked.
        found: usize,
    },
    /// Images where labels were expected, or the other way round.
    #[error("The file given as {kind} holds {}; swap the two files.", kind.other())]
    WrongKind {
        /// What the file was given as.
        kind: IdxKind,
    },
    /// Some other kind of file.
    #[error(
        "The file of {kind} starts with 0x{magic:08x}, but IDX {kind} start with 0x{:08x}; choose an idx-ubyte file, \
         raw or gzipped, and if it was fetched from an address, check that the address gives the file and not a page.",
        kind.magic()
    )]
    NotIdx {
        /// What the file was given as.
        kind: IdxKind,
        /// Its first four bytes, big-endian.
        magic: u32,
    },
    /// The header promises nothing.
    #[error(
        "The file of {kind} says that it holds none (its header's sizes: {sizes:?}); choose one that is not empty."
    )]
    Empty {
        /// What the file was given as.
        kind: IdxKind,
        /// Count, height and width in the header (1 and 1 for labels).
        sizes: [u32; 3],
    },
    /// The header promises more than this reader takes.
    #[error(
        "The file of {kind} says that it holds {claimed} bytes, more than the {} that are read here; use a smaller set.",
        MAX_BYTES
    )]
    TooLarge {
        /// What the file was given as.
        kind: IdxKind,
        /// Bytes after the header that the header claims.
        claimed: u128,
    },
    /// The file ends before the header's promise is kept.
    #[error(
        "The file of {kind} is cut off: its header promises {expected} bytes of data and there are {found}; fetch it again."
    )]
    Truncated {
        /// What the file was given as.
        kind: IdxKind,
        /// Bytes after the header that the header claims.
        expected: u64,
        /// Bytes there are; for a packed file too small to hold them, the most that it could hold.
        found: u64,
    },
    /// The file goes on after its last item.
    #[error(
        "The file of {kind} goes on after the {expected} bytes of data that its header promises; it is damaged or of another kind: fetch it again."
    )]
    TrailingBytes {
        /// What the file was given as.
        kind: IdxKind,
        /// Bytes after the header that the header claims.
        expected: u64,
    },
    /// The gzip layer is broken.
    #[error("The gzip file of {kind} cannot be unpacked ({reason}); fetch it again.")]
    GzipDamaged {
        /// What the file was given as.
        kind: IdxKind,
        /// What the decoder said.
        reason: String,
    },
}

/// What a file claims to be by its first bytes, raw or gzipped; `None` if it is no IDX file of images or labels.
pub fn kind_of(bytes: &[u8]) -> Option<IdxKind> {
    let mut magic = [0; 4];
    if bytes.starts_with(&[0x1f, 0x8b]) {
        MultiGzDecoder::new(bytes).read_exact(&mut magic).ok()?;
    } else {
        magic.copy_from_slice(bytes.get(..4)?);
    }
    [IdxKind::Images, IdxKind::Labels].into_iter().find(|kind| kind.magic() == u32::from_be_bytes(magic))
}

/// The content of a file of images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdxImages {
    /// How many images.
    pub count: usize,
    /// Rows of an image.
    pub height: usize,
    /// Columns of an image.
    pub width: usize,
    /// `count × height × width` grey values, row by row, 0 for background.
    pub pixels: Vec<u8>,
}

/// Reads a file of images, raw or gzipped. Any height and width are taken; see `Dataset::require_shape`.
pub fn read_images(bytes: &[u8]) -> Result<IdxImages, IdxError> {
    let ([count, height, width], pixels) = read(bytes, IdxKind::Images)?;
    Ok(IdxImages { count: count as usize, height: height as usize, width: width as usize, pixels })
}

/// Reads a file of labels, raw or gzipped. Their range is not judged here; see `Dataset::from_idx`.
pub fn read_labels(bytes: &[u8]) -> Result<Vec<u8>, IdxError> {
    read(bytes, IdxKind::Labels).map(|(_, labels)| labels)
}

/// The header's count, height and width (1 and 1 for labels), and all that follows it.
fn read(bytes: &[u8], kind: IdxKind) -> Result<([u32; 3], Vec<u8>), IdxError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        let (header, rest) = bytes.split_at(bytes.len().min(kind.header_bytes()));
        let (dimensions, expected) = parse_header(header, kind)?;
        let found = rest.len() as u64;
        return match found.cmp(&expected) {
            std::cmp::Ordering::Less => Err(IdxError::Truncated { kind, expected, found }),
            std::cmp::Ordering::Greater => Err(IdxError::TrailingBytes { kind, expected }),
            std::cmp::Ordering::Equal => Ok((dimensions, rest.to_vec())),
        };
    }

    let mut unpacked = MultiGzDecoder::new(bytes);
    let header = unpack(&mut unpacked, kind.header_bytes(), kind)?;
    let (dimensions, expected) = parse_header(&header, kind)?;
    // Reserving what the header claims is safe once the file is long enough to hold it.
    let at_most = bytes.len() as u64 * MAX_DEFLATE_RATIO;
    if expected > at_most {
        return Err(IdxError::Truncated { kind, expected, found: at_most });
    }
    let data = unpack(&mut unpacked, expected as usize, kind)?;
    if (data.len() as u64) < expected {
        return Err(IdxError::Truncated { kind, expected, found: data.len() as u64 });
    }
    // One byte more tells whether the file goes on, and lets the decoder check the sum at its end.
    match unpacked.read(&mut [0]) {
        Ok(0) => Ok((dimensions, data)),
        Ok(_) => Err(IdxError::TrailingBytes { kind, expected }),
        Err(error) => Err(IdxError::GzipDamaged { kind, reason: error.to_string() }),
    }
}

/// The next `limit` bytes, or fewer where the packed file is cut off.
fn unpack(source: &mut impl Read, limit: usize, kind: IdxKind) -> Result<Vec<u8>, IdxError> {
    let mut bytes = Vec::with_capacity(limit);
    match source.take(limit as u64).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(bytes),
        Err(error) => Err(IdxError::GzipDamaged { kind, reason: error.to_string() }),
    }
}

/// Checks a header and gives its count, height and width, and the bytes that must follow it.
fn parse_header(header: &[u8], kind: IdxKind) -> Result<([u32; 3], u64), IdxError> {
    let word = |i: usize| header.get(4 * i..4 * i + 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let truncated = IdxError::HeaderTruncated { kind, needed: kind.header_bytes(), found: header.len() };
    match word(0) {
        None => return Err(truncated),
        Some(magic) if magic == kind.magic() => {}
        Some(magic) if magic == kind.other().magic() => return Err(IdxError::WrongKind { kind }),
        Some(magic) => return Err(IdxError::NotIdx { kind, magic }),
    }
    let dimensions = match kind {
        IdxKind::Images => [word(1), word(2), word(3)],
        IdxKind::Labels => [word(1), Some(1), Some(1)],
    };
    let [Some(count), Some(height), Some(width)] = dimensions else { return Err(truncated) };
    let claimed = u128::from(count) * u128::from(height) * u128::from(width);
    if claimed == 0 {
        return Err(IdxError::Empty { kind, sizes: [count, height, width] });
    }
    if claimed > u128::from(MAX_BYTES) {
        return Err(IdxError::TooLarge { kind, claimed });
    }
    Ok(([count, height, width], claimed as u64))
}
