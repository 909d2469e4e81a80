package io.verbena.messaging;

import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Large messages, straight from user memory to user memory. Which way is the sender's choice ({@link RendezvousMode}):
 *
 * <pre>
 *   READ     REQUEST: where it is   -->                    WRITE    OFFER             -->
 *                                   <--  RDMA Read                                    <--  GRANT: where it may go
 *                                   <--  READ_DONE                  RDMA Write        -->
 *                                                                   WRITTEN           -->
 * </pre>
 *
 * <p>Operations under way have numbers; what a peer says of a number is checked.
 */
final class Rendezvous {

    // Kinds of elements.
    static final int REQUEST = 2; // word: length; payload: where it is, and the send's number
    static final int READ_DONE = 3; // word: the send's number; payload: further ones
    static final int OFFER = 4; // word: length; payload: the send's number
    static final int GRANT = 5; // word: the send's number; payload: where it may go, and the receive's number
    static final int WRITTEN = 6; // word: the receive's number; payload: further ones

    /** Longest payload of an element; buffers of every phase hold it. */
    static final int LONGEST_BYTES = RemoteRegion.ENCODED_BYTES + 4;

    private static final int MOST_NUMBERS = 1 + LONGEST_BYTES / 4;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong BIG_ENDIAN_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Transport transport;
    private final RendezvousMode mode;
    private final List<@Nullable Operation> numbered = new ArrayList<>();
    private final ArrayDeque<Integer> freeNumbers = new ArrayDeque<>();
    private final MemorySegment payload = Arena.ofAuto().allocate(LONGEST_BYTES, 8);

    Rendezvous(Transport transport, RendezvousMode mode) {
        this.transport = transport;
        this.mode = mode;
    }

    // Numbers.

    private void number(Operation operation) {
        Integer free = freeNumbers.pollFirst();
        if (free == null) {
            numbered.add(operation);
            operation.id = numbered.size() - 1;
        } else {
            numbered.set(free, operation);
            operation.id = free;
        }
    }

    private @Nullable Operation find(long id, Peer peer) {
        Operation found = id < 0 || id >= numbered.size() ? null : numbered.get((int) id);
        return found != null && found.source == peer ? found : null;
    }

    private @Nullable Operation find(long id, boolean sends, Peer peer) {
        Operation found = find(id, peer);
        return found != null && found.sends == sends ? found : null;
    }

    private void forget(Operation operation) {
        numbered.set(operation.id, null);
        freeNumbers.addLast(operation.id);
    }

    // Words to the peer.

    /** What waits to be said and posted, as far as there is room. */
    void pump(Peer peer, Channel channel) {
        while (!peer.granting.isEmpty() && granted(channel, peer.granting.getFirst())) {
            peer.granting.removeFirst();
        }
        while (!peer.transfers.isEmpty() && moved(peer, channel, peer.transfers.getFirst())) {
            peer.transfers.removeFirst();
        }
        while (!peer.written.isEmpty() && told(channel, WRITTEN, peer.written)) {
            // The next ones.
        }
        while (!peer.readDone.isEmpty() && told(channel, READ_DONE, peer.readDone)) {
            // The next ones.
        }
    }

    /** As many numbers as one element holds. */
    private boolean told(Channel channel, int kind, ArrayDeque<Integer> numbers) {
        int most = Math.min(numbers.size(), MOST_NUMBERS);
        int at = 0;
        int first = 0;
        for (int number : numbers) {
            if (at == most) {
                break;
            }
            if (at == 0) {
                first = number;
            } else {
                payload.setAtIndex(INT, at - 1, number);
            }
            at++;
        }
        if (!transport.say(channel, kind, 0, 0, first, payload, 4 * (at - 1))) {
            return false;
        }
        for (int i = 0; i < at; i++) {
            numbers.removeFirst();
        }
        return true;
    }

    private boolean granted(Channel channel, Operation receive) {
        receive.grantedRegion().write(payload, 0);
        payload.set(INT, RemoteRegion.ENCODED_BYTES, receive.id);
        return transport.say(channel, GRANT, 0, 0, receive.remoteId(), payload, LONGEST_BYTES);
    }

    /** Posts Reads or Writes; behind the last Write of a message the peer is to be told. */
    private static boolean moved(Peer peer, Channel channel, Operation operation) {
        if (!operation.postTransfers(channel)) {
            return false;
        }
        if (operation.sends) {
            peer.written.addLast(operation.remoteId());
        }
        return true;
    }

    // The sender.

    /** The peer is told of a message; false when there is no slot for that. */
    boolean requested(Peer peer, Channel channel, Operation send) {
        if (!peer.sendCredit.mayRequest()) {
            return false;
        }
        if (send.registration == null && send.length > 0) {
            Registrations.Use use =
                    mode == RendezvousMode.READ ? Registrations.Use.READ_BY_PEER : Registrations.Use.SENT;
            send.registration = peer.registrations().of(send.buffer, send.offset, send.length, use);
        }
        if (send.id < 0) {
            number(send);
            send.source = peer;
        }
        boolean said;
        if (mode == RendezvousMode.READ) {
            send.remoteRegion().write(payload, 0);
            payload.set(INT, RemoteRegion.ENCODED_BYTES, send.id);
            said = transport.say(channel, REQUEST, send.tag(), send.context(), send.length, payload, LONGEST_BYTES);
        } else {
            payload.set(INT, 0, send.id);
            said = transport.say(channel, OFFER, send.tag(), send.context(), send.length, payload, 4);
        }
        if (said) {
            send.announced();
            peer.sendCredit.onRequested();
            channel.counters().rendezvous++;
        }
        return said;
    }

    private void onReadDone(Peer peer, Channel channel, long id) {
        Operation send = find(id, true, peer);
        if (send == null || !send.awaitsPeer() || mode != RendezvousMode.READ) {
            channel.fail("Rank " + peer.rank() + " says that it read a message that it was not sent.");
            return;
        }
        peer.sendCredit.onRequestAnswered();
        finishSend(send);
    }

    private void onGrant(Peer peer, Channel channel, Element element) {
        Operation send = find(element.word(), true, peer);
        if (send == null || !send.awaitsPeer() || mode != RendezvousMode.WRITE || !holdsRegion(element)) {
            channel.fail("Rank " + peer.rank() + " granted memory for a message that it was not offered.");
            return;
        }
        element.copyTo(payload, 0, LONGEST_BYTES);
        RemoteRegion room = RemoteRegion.read(payload, 0);
        if (room.length() > send.length) {
            channel.fail("Rank " + peer.rank() + " granted more memory than a message has bytes.");
            return;
        }
        peer.sendCredit.onRequestAnswered();
        send.startWriting(room, payload.get(INT, RemoteRegion.ENCODED_BYTES));
        if (room.length() > 0) {
            peer.transfers.addLast(send);
        } else {
            peer.written.addLast(send.remoteId());
            finishSend(send);
        }
        transport.wait(peer);
    }

    private void finishSend(Operation send) {
        forget(send);
        send.releaseRegistration();
        send.sent();
    }

    // The receiver.

    /** Whether a request or an offer can be one. */
    static boolean wellFormed(Element element) {
        return element.word() >= 0 && (element.kind() == REQUEST ? holdsRegion(element) : element.length() == 4);
    }

    /** A region of a negative length is none. */
    private static boolean holdsRegion(Element element) {
        return element.length() == LONGEST_BYTES && element.longAt(BIG_ENDIAN_LONG, Long.BYTES) >= 0;
    }

    /** Notes what a request or an offer says, for the receive that will want it. */
    void read(Element element, Unexpected into) {
        element.copyTo(payload, 0, element.length());
        into.kind = element.kind();
        into.length = element.word();
        if (into.kind == REQUEST) {
            RemoteRegion region = RemoteRegion.read(payload, 0);
            into.address = region.address();
            into.rkey = region.rkey();
        }
        into.id = payload.get(INT, into.kind == REQUEST ? RemoteRegion.ENCODED_BYTES : 0);
    }

    /** A receive has its message: Reads bring it, or the peer is told where to write it. */
    void start(Operation receive, Peer peer, int tag, Unexpected what) {
        Channel channel = peer.channel;
        if (channel == null || !channel.open()) {
            receive.fail(
                    peer.gone.isEmpty() ? "The connection to rank " + peer.rank() + " is over." : peer.gone,
                    transport.members().died());
            return;
        }
        boolean reads = what.kind == REQUEST;
        receive.startReceiving(peer, tag, what, reads ? Registrations.Use.RECEIVED : Registrations.Use.WRITTEN_BY_PEER);
        number(receive);
        if (!reads) {
            peer.granting.addLast(receive);
        } else if (receive.allMoved()) { // of no bytes
            finishReceive(receive);
        } else {
            peer.transfers.addLast(receive);
        }
        transport.wait(peer);
    }

    private void finishReceive(Operation receive) {
        forget(receive);
        if (receive.finishReceiving()) {
            receive.source.readDone.addLast(receive.remoteId());
            transport.wait(receive.source);
        }
    }

    private void onWritten(Peer peer, Channel channel, long id) {
        Operation receive = find(id, false, peer);
        if (receive == null || !receive.writtenByPeer()) {
            channel.fail("Rank " + peer.rank() + " says that it wrote a message for which it was granted nothing.");
            return;
        }
        finishReceive(receive);
    }

    // Both.

    /** An element of ours came. */
    void arrived(Peer peer, Channel channel, Element element) {
        if (element.kind() == GRANT) {
            onGrant(peer, channel, element);
            return;
        }
        int more = Math.min(element.length(), LONGEST_BYTES) / 4;
        int kind = element.kind();
        long first = element.word();
        element.copyTo(payload, 0, 4 * more);
        for (int i = 0; i <= more; i++) {
            long id = i == 0 ? first : payload.getAtIndex(INT, i - 1);
            if (kind == READ_DONE) {
                onReadDone(peer, channel, id);
            } else {
                onWritten(peer, channel, id);
            }
        }
    }

    /** A Read or a Write is done. */
    void transferred(Peer peer, long id, boolean ok) {
        Operation operation = find(id, peer);
        if (operation == null) {
            return; // given up
        }
        peer.transferEnded();
        if (!operation.onTransferred() || !ok) {
            return;
        }
        if (operation.sends) {
            finishSend(operation);
        } else {
            finishReceive(operation);
        }
    }

    /** Nothing comes from there or goes there any more. */
    void gone(Peer peer, String sentence, List<Integer> died) {
        for (Operation at : numbered) {
            if (at != null && at.source == peer) {
                forget(at);
                at.fail(sentence, died);
            }
        }
    }
}
