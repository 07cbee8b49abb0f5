//! Reading and writing what C points at: together with the exports, all unsafe code there is.
//!
//! None of these asks that a pointer is aligned. What they cannot check is that a pointer which is not
//! null leads to memory of its type; that is the caller's word, as with every function of C.

use crate::result::{ReckField, ReckStatus, Refusal};

/// The value behind a pointer.
///
/// # Safety
/// A pointer that is not null leads to a readable, initialised `T`, which is valid whatever its bits.
pub unsafe fn read<T: Copy>(from: *const T, field: ReckField) -> Result<T, Refusal> {
    if from.is_null() {
        return Err(Refusal::null(field));
    }
    // SAFETY: it is not null, by the check above; that it leads to an initialised `T` is the caller's
    // word, and an unaligned read asks for nothing else. `T: Copy` owns nothing that could be freed twice.
    Ok(unsafe { from.read_unaligned() })
}

/// Puts a value where a pointer leads.
///
/// # Safety
/// A pointer that is not null leads to writable memory of a `T`.
pub unsafe fn write<T: Copy>(to: *mut T, value: T, field: ReckField) -> Result<(), Refusal> {
    if to.is_null() {
        return Err(Refusal::null(field));
    }
    // SAFETY: it is not null, by the check above; that it leads to writable memory of a `T` is the
    // caller's word. What was there is overwritten, not dropped: `T: Copy` has nothing to drop.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// As [`write`], where null means that the caller does not want to know.
///
/// # Safety
/// As [`write`].
pub unsafe fn write_if_wanted<T: Copy>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: as in `write`: not null, and writable by the caller's word.
        unsafe { to.write_unaligned(value) };
    }
}

/// One value of a list that C points at.
///
/// # Safety
/// The list has more than `index` readable, initialised values, or the pointer is null.
pub unsafe fn read_at<T: Copy>(
    from: *const T,
    index: usize,
    field: ReckField,
) -> Result<T, Refusal> {
    if from.is_null() {
        return Err(Refusal::null(field));
    }
    // SAFETY: by the caller's word the list reaches beyond `index`, so the sum stays within it and
    // leads to an initialised `T`; reading asks for no alignment.
    Ok(unsafe { from.add(index).read_unaligned() })
}

/// Puts a value into a list that C points at.
///
/// # Safety
/// The list has room for more than `index` values, or the pointer is null.
pub unsafe fn write_at<T: Copy>(
    to: *mut T,
    index: usize,
    value: T,
    field: ReckField,
) -> Result<(), Refusal> {
    if to.is_null() {
        return Err(Refusal::null(field));
    }
    // SAFETY: by the caller's word the list has room beyond `index`, so the sum stays within it and
    // leads to writable memory; writing asks for no alignment and drops nothing.
    unsafe { to.add(index).write_unaligned(value) };
    Ok(())
}

/// A copy of bytes that C points at; null is right for none.
///
/// # Safety
/// A pointer that is not null leads to that many readable bytes.
pub unsafe fn bytes(from: *const u8, count: usize, field: ReckField) -> Result<Vec<u8>, Refusal> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if from.is_null() {
        return Err(Refusal::null(field));
    }
    if count > isize::MAX as usize {
        return Err(Refusal::new(ReckStatus::OutOfRange, field, count as f64));
    }
    // SAFETY: not null, readable for `count` bytes by the caller's word, and no longer than a slice may
    // be; any bits are a `u8` and it needs no alignment. It is copied before C runs again.
    Ok(unsafe { std::slice::from_raw_parts(from, count) }.to_vec())
}

/// A copy of a text that C points at, which ends with a zero and is UTF-8.
///
/// # Safety
/// A pointer that is not null leads to bytes of which one is zero.
#[cfg(feature = "client")]
pub unsafe fn text(from: *const std::ffi::c_char, field: ReckField) -> Result<String, Refusal> {
    if from.is_null() {
        return Err(Refusal::null(field));
    }
    // SAFETY: not null, and by the caller's word a zero ends it; it is copied before C runs again.
    let text = unsafe { std::ffi::CStr::from_ptr(from) };
    text.to_str()
        .map(str::to_owned)
        .map_err(|error| Refusal::new(ReckStatus::NotUtf8, field, error.valid_up_to() as f64))
}

/// Copies a text to C, cut off at a whole character if need be, with a zero at its end. Returns how many
/// bytes the whole text has, without the zero.
///
/// # Safety
/// A pointer that is not null leads to `capacity` writable bytes.
pub unsafe fn put_text(text: &str, to: *mut std::ffi::c_char, capacity: usize) -> usize {
    if to.is_null() || capacity == 0 {
        return text.len();
    }
    let mut length = text.len().min(capacity - 1);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    // SAFETY: `length < capacity`, so the text and its zero fit the `capacity` bytes that the caller
    // vouches for; `text` is Rust's, and C's buffer cannot overlap it. `c_char` is as wide as a byte.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast::<u8>(), length);
        to.add(length).write(0);
    }
    text.len()
}
