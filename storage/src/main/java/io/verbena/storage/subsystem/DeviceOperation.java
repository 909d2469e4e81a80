package io.verbena.storage.subsystem;

/** Operations on a device. */
enum DeviceOperation {
    NONE,
    READ,
    WRITE,
    FLUSH,
    COMPARE,
    WRITE_ZEROES,
    DEALLOCATE,
    VERIFY
}
