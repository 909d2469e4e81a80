package io.verbena.storage.device;

/** How an operation of a {@link BlockDevice} ended. */
public enum DeviceStatus {
    /** The operation succeeded. */
    DONE,
    /** The medium did not give the data. */
    READ_ERROR,
    /** The medium did not take the data. */
    WRITE_ERROR,
    /** No space is left for the data. */
    NO_SPACE,
    /** The device is read-only. */
    READ_ONLY,
    /** The device cannot work now; a repetition may succeed. */
    NOT_READY,
    /** The data of a comparison differ. */
    DIFFERENT,
    /** The device itself failed; a server reports this status for a device that throws. */
    FAILED
}
