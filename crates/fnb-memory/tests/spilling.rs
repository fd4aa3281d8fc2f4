//! Blocks that are spilled hold what was written to them, whoever gives their pages back.

#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "an allocator is called")]
#![allow(clippy::unwrap_used, reason = "a test that panics fails, as it should")]

use fnb_memory::{Spilling, WithoutRoom, limit, spilled};
use std::alloc::{GlobalAlloc, Layout};
use std::thread;

#[global_allocator]
static ALLOCATOR: Spilling = Spilling;

const LIMIT: u64 = 48 << 20;

/// The highest resident memory there was, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    1024 * kilobytes.parse::<u64>().unwrap()
}

fn next(random: &mut u64) -> usize {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random as usize >> 8
}

/// Vectors that grow, shrink, are copied and freed, each filled with numbers that only it has.
fn work(seed: u64) {
    let mut random = seed + 1;
    let mut blocks: Vec<(u64, Vec<u64>)> = Vec::new();
    let number = |of: u64, i: usize| of.wrapping_mul(0x9E37_79B9).wrapping_add(i as u64);
    for round in 0..400 {
        let which = next(&mut random) % 12;
        if which >= blocks.len() {
            let length = next(&mut random) % 900_000;
            // Some start as zeros.
            let mut block = vec![0_u64; length];
            assert!(block.iter().all(|&value| value == 0));
            for (i, value) in block.iter_mut().enumerate() {
                *value = number(round, i);
            }
            blocks.push((round, block));
            continue;
        }
        let (of, block) = &mut blocks[which];
        match next(&mut random) % 4 {
            0 => {
                let (_, block) = blocks.swap_remove(which);
                drop(block);
                continue;
            }
            1 => {
                block.truncate(next(&mut random) % (block.len() + 1));
                block.shrink_to_fit();
            }
            2 => {
                let from = block.len();
                let more = next(&mut random) % 300_000;
                block.extend((from..from + more).map(|i| number(*of, i)));
            }
            _ => {
                let copy = block.clone();
                *block = copy;
            }
        }
        let (of, block) = &blocks[which];
        let wrong = block
            .iter()
            .enumerate()
            .find(|(i, value)| **value != number(*of, *i));
        assert_eq!(wrong, None, "round {round}");
    }
}

// One test: the limit and the peak are those of the process.
#[test]
fn what_is_spilled_is_not_lost() {
    let folder = tempfile::TempDir::new().unwrap();
    limit(LIMIT, folder.path(), WithoutRoom::Refuse).unwrap();
    // No name at any time.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || work(seed));
        }
    });
    let most = spilled().most;
    assert!(most > LIMIT, "{most}");
    assert_eq!(spilled().now, 0);
    let large: Vec<u64> = (0..30_000_000).collect();
    thread::sleep(std::time::Duration::from_millis(50));
    assert!(large.iter().zip(0..).all(|(value, i)| *value == i));
    assert!(spilled().now >= 240_000_000);
    assert!(peak() < 3 * LIMIT, "{} of {LIMIT}", peak());
    // A block is aligned as it was asked for, wherever it comes from.
    for shift in [0, 3, 12, 13, 21] {
        let layout = Layout::from_size_align(1 << 22, 1 << shift).unwrap();
        // SAFETY: it is freed with the layout it was asked for with.
        unsafe {
            let memory = ALLOCATOR.alloc(layout);
            assert_eq!(memory.addr() % (1 << shift), 0);
            memory.write_bytes(7, 1 << 22);
            ALLOCATOR.dealloc(memory, layout);
        }
    }
    // More than the disk has.
    let layout = Layout::from_size_align(1 << 47, 8).unwrap();
    // SAFETY: nothing was given.
    assert!(unsafe { ALLOCATOR.alloc(layout) }.is_null());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
