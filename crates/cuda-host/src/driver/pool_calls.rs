//! The calls about pools of memory.
//!
//! Specification: CUDA Driver API, "Stream Ordered Memory Allocator".

use cudac::host::Scalar;

use super::errors::code;
use super::held::Handle;
use super::pool::{Kind, Pool};
use super::state::{Driver, Values};
use crate::machine::Result;

impl Driver<'_> {
    pub(super) fn of_pools(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let [a, b, c] = [0, 1, 2].map(|nth| values.at(nth));
        Some(match name {
            "cuDeviceGetDefaultMemPool" => self.give(a, Scalar::U64, Kind::Device.default_pool()),
            "cuDeviceGetMemPool" => self.give(a, Scalar::U64, self.pools.current[Kind::Device as usize]),
            "cuDeviceSetMemPool" => self.set_current(Kind::Device, b),
            "cuMemGetDefaultMemPool" => {
                self.in_place(b, c, |driver, kind| driver.give(a, Scalar::U64, kind.default_pool()))
            }
            "cuMemGetMemPool" => self.in_place(b, c, |driver, kind| {
                driver.give(a, Scalar::U64, driver.pools.current[kind as usize])
            }),
            "cuMemSetMemPool" => self.in_place(a, b, |driver, kind| driver.set_current(kind, c)),
            "cuMemPoolCreate" => self.create_pool(a, b),
            "cuMemPoolDestroy" => self.destroy_pool(a),
            "cuMemPoolGetAttribute" => self.in_pool(a, |driver, pool| driver.give_pool_attribute(pool, b, c)),
            "cuMemPoolSetAttribute" => self.in_pool(a, |driver, _| driver.set_pool_attribute(a, b, c)),
            "cuMemPoolGetAccess" => self.in_pool(b, |driver, pool| driver.access(pool, a, c)),
            // There is no second device that could be shut out.
            "cuMemPoolTrimTo" | "cuMemPoolSetAccess" => self.in_pool(a, |_, _| Ok(0)),
            "cuMemAllocFromPoolAsync" => self
                .in_pool(c, |driver, pool| driver.allocate_in_stream(a, b, values.at(3), pool.kind.owner())),
            _ => return None,
        })
    }

    /// What is done with a pool that there is.
    fn in_pool(&mut self, pool: u64, then: impl FnOnce(&mut Self, Pool) -> Result<u64>) -> Result<u64> {
        if let Some(known) = self.pools.known.get(&pool).copied() {
            return then(self, known);
        }
        self.fail(code::INVALID_VALUE, format!("{pool:#x} is no pool of memory, or one that was destroyed"))
    }

    /// What is done in a place, which a `CUmemLocation` and a kind of allocation describe.
    fn in_place(
        &mut self,
        location: u64,
        allocation: u64,
        then: impl FnOnce(&mut Self, Kind) -> Result<u64>,
    ) -> Result<u64> {
        if location == 0 {
            return self.fail(code::INVALID_VALUE, "the place of a pool is described at a null pointer");
        }
        let location = self.take_words(location, 1)?[0];
        self.of_kind(location, allocation, then)
    }

    fn of_kind(
        &mut self,
        location: u64,
        allocation: u64,
        then: impl FnOnce(&mut Self, Kind) -> Result<u64>,
    ) -> Result<u64> {
        if let Some(kind) = Kind::of(location, allocation) {
            return then(self, kind);
        }
        let (place, number) = (location as u32, (location >> 32) as i32);
        let message = format!(
            "no pool has memory of type {allocation} in place {number} of type {place}: there is device 0, and the host"
        );
        self.fail(code::INVALID_VALUE, message)
    }

    fn set_current(&mut self, kind: Kind, pool: u64) -> Result<u64> {
        self.in_pool(pool, |driver, known| {
            if known.kind != kind {
                let message = format!("{pool:#x} is a pool of other memory than that for which it is set");
                return driver.fail(code::INVALID_VALUE, message);
            }
            driver.pools.current[kind as usize] = pool;
            Ok(0)
        })
    }

    /// `CUmemPoolProps`: the type of allocations, of handles, and the place, in two words.
    fn create_pool(&mut self, to: u64, described: u64) -> Result<u64> {
        if described == 0 {
            return self.fail(code::INVALID_VALUE, "the pool is described at a null pointer");
        }
        let words = self.take_words(described, 2)?;
        self.of_kind(words[1], words[0] & 0xffff_ffff, |driver, kind| {
            let help = "call `cuMemPoolDestroy` when one is not needed any more";
            driver.machine.check_handles(driver.pools.known.len(), "pools of memory", help)?;
            let pool = Handle::Pool.make(driver.pools.made);
            driver.give(to, Scalar::U64, pool)?;
            driver.pools.made += 1;
            driver.pools.known.insert(pool, Pool::new(kind));
            Ok(0)
        })
    }

    /// What was taken from the pool stays until it is freed.
    fn destroy_pool(&mut self, pool: u64) -> Result<u64> {
        self.in_pool(pool, |driver, Pool { kind, .. }| {
            if pool == kind.default_pool() {
                return driver.fail(code::INVALID_VALUE, "a default pool of memory cannot be destroyed");
            }
            driver.pools.known.remove(&pool);
            let current = &mut driver.pools.current[kind as usize];
            if *current == pool {
                *current = kind.default_pool();
            }
            Ok(0)
        })
    }

    fn give_pool_attribute(&mut self, pool: Pool, attribute: u64, to: u64) -> Result<u64> {
        match attribute {
            1..=3 => self.give(to, Scalar::I32, pool.set[attribute as usize - 1]),
            4 => self.give(to, Scalar::U64, pool.set[3]),
            5..=8 => self.give(to, Scalar::U64, self.machine.device.live_bytes()),
            _ => self.fail(code::INVALID_VALUE, format!("a pool has no attribute {attribute}")),
        }
    }

    fn set_pool_attribute(&mut self, pool: u64, attribute: u64, from: u64) -> Result<u64> {
        let value = match attribute {
            1..=3 => u64::from(self.take(from, 4)? != [0; 4]),
            4 | 6 | 8 => self.take_words(from, 1)?[0],
            _ => {
                return self
                    .fail(code::INVALID_VALUE, format!("attribute {attribute} of a pool cannot be set"));
            }
        };
        if attribute > 4 && value != 0 {
            return self.fail(code::INVALID_VALUE, "what a pool has used at most can only be set to 0");
        }
        let known = self.pools.known.get_mut(&pool);
        if let Some(set) = known.and_then(|pool| pool.set.get_mut(attribute as usize - 1)) {
            *set = value;
        }
        Ok(0)
    }

    /// Who can use the memory of a pool, to read and to write it (3) or not at all (0): the device all of it.
    fn access(&mut self, pool: Pool, to: u64, location: u64) -> Result<u64> {
        self.in_place(location, 1, |driver, place| {
            let is_shut_out = place == Kind::Host && pool.kind == Kind::Device;
            driver.give(to, Scalar::I32, if is_shut_out { 0 } else { 3 })
        })
    }
}
