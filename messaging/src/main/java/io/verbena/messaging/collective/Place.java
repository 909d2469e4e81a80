package io.verbena.messaging.collective;

/** A place in one of the buffers of a collective operation. */
record Place(int buffer, long offset) {

    static final Place SEND = new Place(Schedule.SEND_BUFFER, 0);
    static final Place RECEIVE = new Place(Schedule.RECEIVE_BUFFER, 0);

    Place plus(long bytes) {
        return new Place(buffer, offset + bytes);
    }
}
