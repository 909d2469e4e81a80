package io.verbena.verbs;

/** State of automatic path migration (ibv_mig_state). */
public enum PathMigration {
    MIGRATED,
    REARM,
    ARMED
}
