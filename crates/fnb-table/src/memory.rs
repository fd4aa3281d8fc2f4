//! Is there memory for a table? Asked before it is taken: a system that runs out of it often ends the program
//! without a word.

use crate::source::{Content, resolve};
use fnb::{Code, Error, Result};
use std::fs::read_to_string;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Less is always tried.
const LITTLE: u64 = 64 << 20;

/// What the allocator of the program can put elsewhere.
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

/// From now on, tables may take so many bytes more than there is memory: the allocator puts them elsewhere.
pub fn may_spill(bytes: u64) {
    ELSEWHERE.store(bytes, Ordering::Relaxed);
}

/// About how many bytes of memory it takes to learn from files; `None` if that is not known, as of standard
/// input. Measured on tables of numbers and categories: text takes 1.7 times its size, Parquet 7 times.
pub fn memory_needed(inputs: &[String]) -> Option<u64> {
    let mut needed = 0_u64;
    for source in resolve(inputs).ok()? {
        let size = source.size()?;
        let opened = source.open().ok()?;
        let is_small = opened.content == Content::Parquet || !opened.plain;
        needed = needed.saturating_add(if is_small { 7 * size } else { size / 10 * 17 });
    }
    Some(needed)
}

/// Bytes of memory that the machine has, or the container if it has fewer. Known on Linux.
pub fn memory_of_machine() -> Option<u64> {
    let machine = read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| Some(1024 * entry(&text, "MemTotal:")?));
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = groups
        .lines()
        .filter_map(|line| of_group(line, |most, _| most));
    machine.into_iter().chain(groups).min()
}

/// Refuses columns that take more memory than there is. Of what is not known, nothing is said.
pub(crate) fn check(name: &str, bytes: u64) -> Result<()> {
    if bytes <= LITTLE {
        return Ok(());
    }
    match available() {
        Some(there) if bytes > there.saturating_add(ELSEWHERE.load(Ordering::Relaxed)) => {
            let message = format!(
                "{name}: its columns take {} of memory, and there are {}",
                gigabytes(bytes),
                gigabytes(there)
            );
            let help = "leave columns out, or give fewer rows or more memory";
            Err(Error::new(Code::OutOfMemory, message).help(help))
        }
        _ => Ok(()),
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Bytes that this process can still take: of the machine, of its container, by its limits. Known on Linux.
fn available() -> Option<u64> {
    let read = |path: &str| read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| of_machine(&text));
    let limits = read("/proc/self/limits").zip(read("/proc/self/status"));
    let limits = limits.and_then(|(limits, status)| of_limits(&limits, &status));
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let left = |most: u64, taken: u64| most.saturating_sub(taken);
    let groups = groups.lines().filter_map(|line| of_group(line, left)).min();
    [machine, limits, groups].into_iter().flatten().min()
}

/// What can be had without ending others, and what can be moved to disk.
fn of_machine(meminfo: &str) -> Option<u64> {
    Some(1024 * (entry(meminfo, "MemAvailable:")? + entry(meminfo, "SwapFree:").unwrap_or(0)))
}

/// What `ulimit -v` leaves.
fn of_limits(limits: &str, status: &str) -> Option<u64> {
    let most = entry(limits, "Max address space")?;
    Some(most.saturating_sub(1024 * entry(status, "VmSize:")?))
}

/// What a control group allows and has taken, by a line of `/proc/self/cgroup`: `0::/name` in version 2,
/// `4:memory:/name` in version 1. A container sees its own group as the root.
fn of_group(line: &str, figure: impl Fn(u64, u64) -> u64) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, name) = (fields.next()?, fields.next()?);
    let (root, most, taken, cache) = match controllers {
        "" => (
            "/sys/fs/cgroup",
            "memory.max",
            "memory.current",
            "inactive_file",
        ),
        "memory" => (
            "/sys/fs/cgroup/memory",
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file",
        ),
        _ => return None,
    };
    let own = Path::new(root).join(name.trim_start_matches('/'));
    let of = |folder: &Path| {
        let number = |file: &str| read_to_string(folder.join(file)).ok()?.trim().parse().ok();
        let (most, taken): (u64, u64) = (number(most)?, number(taken)?);
        let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
        // Files that were read are forgotten when memory is needed.
        let cache = entry(&stat, cache).unwrap_or(0);
        Some(figure(most, taken.saturating_sub(cache)))
    };
    // A group has the limits of those that it is in.
    let groups = own
        .ancestors()
        .take_while(|folder| folder.starts_with(root));
    groups.filter_map(of).min()
}

/// The number after a name at the start of a line.
fn entry(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let meminfo = "MemTotal:  100 kB\nMemAvailable:    18140756 kB\nSwapFree:  10 kB\n";
        assert_eq!(of_machine(meminfo), Some(18_140_766 * 1024));
        let limits = "Max open files       1024     4096  files\nMax address space    3000000  unlimited  bytes\n";
        assert_eq!(
            of_limits(limits, "VmPeak: 9 kB\nVmSize:\t 1000 kB\n"),
            Some(1_976_000)
        );
        let free = "Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(of_limits(free, "VmSize: 1000 kB\n"), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(check("a.csv", LITTLE).is_ok());
        #[cfg(target_os = "linux")]
        {
            let error = check("a.csv", 1 << 60).expect_err("nobody has that much");
            assert_eq!(error.code(), Code::OutOfMemory);
            assert!(
                error
                    .message()
                    .starts_with("a.csv: its columns take 1152921504.6 GB")
            );
        }
    }
}
