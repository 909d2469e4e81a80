package io.verbena.verbs;

/**
 * Attributes of the key of a memory window.
 *
 * @param scope queue pairs that may use the key
 * @param oneShot whether the key is invalidated after the first message that uses it
 * @param freshKey whether each bind gives the key a new value (safer) or keeps the value
 * @param zeroBased whether peers address the first byte of the bound range as 0, or as in the region
 */
public record WindowOptions(Scope scope, boolean oneShot, boolean freshKey, boolean zeroBased) {

    /** Queue pairs that may use a key. */
    public enum Scope {
        /** The queue pair whose send queue bound the key; its peer may invalidate it. */
        QUEUE_PAIR,
        /** All queue pairs of the protection domain. */
        DOMAIN
    }

    /** For one queue pair, usable any number of times, with a new value for each bind. */
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
