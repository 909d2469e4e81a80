package io.verbena.objects;

/** Objects that a program passes to a verb must be of the same adapter, of the same domain, and open. */
public final class Ownership {

    private Ownership() {}

    /** The misuse of an object of another adapter. */
    public static IllegalArgumentException foreign(String what) {
        return new IllegalArgumentException("the " + what + " was not made by this RNIC");
    }

    /** Checks an object of this adapter that a queue is to use. */
    public static void check(String what, boolean ofDomain, boolean closed) {
        if (!ofDomain) {
            throw new IllegalArgumentException("the " + what + " belongs to another protection domain than the queue");
        }
        if (closed) {
            throw new IllegalStateException("the " + what + " is closed");
        }
    }
}
