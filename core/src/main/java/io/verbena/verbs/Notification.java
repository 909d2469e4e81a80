package io.verbena.verbs;

/** The entries that a requested notification applies to. */
public enum Notification {
    /** The next entry of any kind. */
    NEXT,
    /** The next solicited entry, or one in error. */
    SOLICITED
}
