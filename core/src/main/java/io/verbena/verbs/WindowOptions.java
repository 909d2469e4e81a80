package io.verbena.verbs;

/**
 * How a memory window's key behaves.
 *
 * @param scope who may use it
 * @param oneShot whether it dies with the first message that uses it
 * @param freshKey whether each bind gives it a new value (safer), or keeps the one it has
 * @param zeroBased whether peers name the first byte of its range 0, or as its region does
 */
public record WindowOptions(Scope scope, boolean oneShot, boolean freshKey, boolean zeroBased) {

    /** Who may use a key. */
    public enum Scope {
        /** The queue pair whose send queue bound it; its peer may invalidate it. */
        QUEUE_PAIR,
        /** All queue pairs of the protection domain. */
        DOMAIN
    }

    /** One queue pair, used any number of times, a new value a bind. */
    public static WindowOptions defaults() {
        return new WindowOptions(Scope.QUEUE_PAIR, false, true, false);
    }

    public WindowOptions withScope(Scope value) {
        return new WindowOptions(value, oneShot, freshKey, zeroBased);
    }

    public WindowOptions withOneShot(boolean value) {
        return new WindowOptions(scope, value, freshKey, zeroBased);
    }

    public WindowOptions withFreshKey(boolean value) {
        return new WindowOptions(scope, oneShot, value, zeroBased);
    }

    public WindowOptions withZeroBased(boolean value) {
        return new WindowOptions(scope, oneShot, freshKey, value);
    }
}
