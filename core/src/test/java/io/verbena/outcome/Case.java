package io.verbena.outcome;

/**
 * A call or a fault, and its outcome on every provider.
 *
 * @param name unique; a row of docs/api-map.md has the same name if the outcomes of the providers differ
 * @param expected what {@code call} returns
 * @param call runs it in a scene of its own and describes the outcome
 */
record Case(String name, String expected, Call call) {

    /** A program against the public API. */
    interface Call {
        String outcome(Scene scene) throws Exception;
    }

    static Case of(String name, String expected, Call call) {
        return new Case(name, expected, call);
    }

    @Override
    public String toString() {
        return name;
    }
}
