package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;

/**
 * How a rank leaves a failed collective operation although a peer that computes has not answered the announcement of a long message, and may
 * read it at any time:
 *
 * <pre>
 *   this rank                                     the peer
 *   notice: the operation has failed   -->        in its memory
 *   Write of no bytes                  -->
 *   its completion: the memory is free            posts and finishes Reads only after it has looked for notices: the operation
 *                                                 fails there too, and the bytes that were read are not used
 * </pre>
 *
 * The Write makes sure that the notice is in the memory of the peer before this rank changes the message, also where the answer to a Read can
 * overtake a Write (InfiniBand). The message stays registered until the peer has answered or its connection has ended.
 */
final class Fences {

    /** The work number of the Write; those of messages are smaller, those of accesses to windows larger. */
    static final long ID = 1L << 39;

    private Fences() {}

    /** Posts the Write behind the notices. */
    static void pump(Peer peer, Channel channel) {
        if (!peer.abandoned.isEmpty()
                && peer.fenced.isEmpty()
                && peer.died.isEmpty()
                && peer.revoked.isEmpty()
                && channel.fence(ID)) {
            peer.fenced.addAll(peer.abandoned);
            peer.abandoned.clear();
        }
    }

    /** The Write has completed. */
    static void passed(Peer peer) {
        peer.fenced.forEach(Operation::detach);
        peer.fenced.clear();
    }
}
