package io.verbena.messaging.launch;

/** How the ranks of a job meet. */
public sealed interface MeetingPlace {

    /** A single rank has no others to meet. */
    record Alone() implements MeetingPlace {}

    /**
     * A server that was started before the ranks.
     *
     * @param address HOST:PORT
     */
    record Server(String address) implements MeetingPlace {}

    /**
     * Rank 0 listens at an address that all ranks know.
     *
     * @param address HOST:PORT
     * @param listening which addresses of its machine it listens at
     */
    record FirstRank(String address, Listening listening) implements MeetingPlace {}

    /**
     * Rank 0 listens at any port and tells the others through the launcher, which also carries the secret of the job.
     *
     * @param board what the launcher offers
     * @param oneHost whether all ranks are processes of one machine
     */
    record Announced(NoticeBoard board, boolean oneHost) implements MeetingPlace {}

    /** The addresses at which rank 0 listens. */
    enum Listening {
        /** The one that its name has. */
        NAMED,

        /** Loopback: all ranks are processes of one machine. */
        LOOPBACK,

        /** All, because the name may be another one for the machine itself. */
        ALL
    }
}
