package io.verbena.storage.host;

/** The commands of a host itself. Each is under way at most once. */
enum AdminStep {
    NONE,
    CONNECT,
    READ_CAPABILITIES,
    ENABLE,
    READ_STATUS,
    IDENTIFY_CONTROLLER,
    SET_QUEUES,
    SET_EVENTS,
    REQUEST_EVENT,
    KEEP_ALIVE,
    /** A page of {@link NamespaceSurvey} or {@link DiscoveryReader}. */
    READ_PAGE,
    SHUT_DOWN;

    /** Whether the target answers only when something happens. */
    boolean waitsIndefinitely() {
        return this == REQUEST_EVENT;
    }
}
