package io.verbena.storage.client;

/** How a target gets access to the memory of a command. */
public enum KeyUse {
    /**
     * A window for each command, which the answer invalidates: the target has access to the data of commands in flight only. What a
     * program sees after an operation has ended remains as it is.
     */
    PER_COMMAND,
    /** One key for each {@link DiskMemory}: less work for each command, and a target that can change the memory at any time. */
    PER_MEMORY
}
