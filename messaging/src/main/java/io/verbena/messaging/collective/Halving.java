package io.verbena.messaging.collective;

/**
 * An exchange of parts with one peer in pieces. A piece is combined when it has arrived and the
 * exchange of the next one has started: it is still in a cache then, and the next one is on its way.
 *
 * @param peer the rank at the other side
 * @param pieceBytes length of a piece
 */
record Halving(ScheduleBuilder steps, int peer, long pieceBytes) {

    /** Exchanges parts. */
    void exchange(Place sent, long sendBytes, Place into, long receiveBytes) {
        long most = Math.max(sendBytes, receiveBytes);
        for (long at = 0; at < most; at += pieceBytes) {
            start(sent, sendBytes, into, receiveBytes, at);
            steps.await();
        }
    }

    /** The same; combines what has arrived: {@code result = in op result}, where a part arrives in one of the two. */
    void exchange(Place sent, long sendBytes, Place into, long receiveBytes, Place in, Place result) {
        long most = Math.max(sendBytes, receiveBytes);
        for (long at = 0; at < most + pieceBytes; at += pieceBytes) {
            start(sent, sendBytes, into, receiveBytes, at);
            long before = at - pieceBytes;
            if (before >= 0 && before < receiveBytes) {
                steps.combine(in.plus(before), result.plus(before), Math.min(pieceBytes, receiveBytes - before));
            }
            steps.await();
        }
    }

    private void start(Place sent, long sendBytes, Place into, long receiveBytes, long at) {
        if (at < receiveBytes) {
            steps.receive(peer, into.plus(at), Math.min(pieceBytes, receiveBytes - at));
        }
        if (at < sendBytes) {
            steps.send(peer, sent.plus(at), Math.min(pieceBytes, sendBytes - at));
        }
    }
}
