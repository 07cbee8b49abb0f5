//! Work spread over threads, each with a clone of what cannot be shared.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` once for every number below `count` and gives the results in that order,
/// whichever thread came to which. Each thread makes one clone of `own` and keeps it: the
/// memory inside routes fills up once per thread, not once per piece.
pub(crate) fn on_each_thread<T, R>(
    count: usize,
    own: &T,
    work: impl Fn(&mut T, usize) -> R + Sync,
) -> Vec<R>
where
    T: Clone + Send,
    R: Send,
{
    let clones: Vec<Mutex<T>> =
        (0..rayon::current_num_threads()).map(|_| Mutex::new(own.clone())).collect();
    let next = AtomicUsize::new(0);
    let parts = rayon::broadcast(|thread| {
        let mut own =
            clones[thread.index()].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut part = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return part;
            }
            part.push((number, work(&mut own, number)));
        }
    });
    let mut results: Vec<(usize, R)> = parts.into_iter().flatten().collect();
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whoever_made_them() {
        let squares = on_each_thread(100, &0_u64, |calls, number| {
            *calls += 1;
            number * number
        });
        assert_eq!(squares, (0..100).map(|n| n * n).collect::<Vec<_>>());
    }
}
