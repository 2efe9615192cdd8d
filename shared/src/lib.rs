//! Wire types, units, error codes and the pure profile code shared by browser and service.
