package io.verbena.verbs;

/** What a requested notification waits for. */
public enum Notification {
    /** The next entry of any kind. */
    NEXT,
    /** The next solicited entry, or one in error. */
    SOLICITED
}
