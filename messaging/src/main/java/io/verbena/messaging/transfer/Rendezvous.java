package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.Element;
import io.verbena.messaging.channel.ElementKind;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Large messages, transferred from user memory to user memory. The sender chooses the direction:
 *
 * <pre>
 *   READ     REQUEST: address       -->                    WRITE    OFFER             -->
 *                                   &lt;--  RDMA Read                                    &lt;--  GRANT: address
 *                                   &lt;--  READ_DONE                  RDMA Write        -->
 *                                                                   WRITTEN           -->
 * </pre>
 *
 * <p>A rank leaves a failed collective operation although a peer that computes has not answered the announcement of a
 * message, and may read it at any time (READ only):
 *
 * <pre>
 *   this rank                                     the peer
 *   notice: the operation has failed   -->        in its memory
 *   Write of no bytes                  -->
 *   its completion: the memory is free            finishes Reads only after it has looked for notices: the
 *                                                 operation fails there too, and the bytes are not used
 * </pre>
 *
 * The Write makes sure that the notice is in the memory of the peer before this rank changes the message, also where
 * the answer to a Read can overtake a Write (InfiniBand). The message stays registered until the peer
 * has answered or its connection has ended.
 *
 * <p>A receiver that has abandoned a collective operation, or whose communicator was revoked, replies DECLINED instead. Operations in progress have numbers; every number that a
 * peer sends is checked.
 */
public final class Rendezvous {

    static final int MAX_NUMBERS = 1 + ElementKind.MAX_CONTROL_BYTES / Integer.BYTES;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong BIG_ENDIAN_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The number of the Write of no bytes; those of messages are smaller, those of accesses to windows larger. */
    public static final long FENCE = 1L << 39;

    private final boolean receiversRead;
    private final Outbox outbox;
    private final Supplier<List<Integer>> died;
    private final OperationTable operations = new OperationTable();
    private final MemorySegment payload = Arena.ofAuto().allocate(ElementKind.MAX_CONTROL_BYTES, 8);

    /**
     * Large messages of one rank.
     *
     * @param receiversRead whether receivers read the messages that this rank sends; if not, it writes them
     * @param died the ranks that have died
     */
    public Rendezvous(boolean receiversRead, Outbox outbox, Supplier<List<Integer>> died) {
        this.receiversRead = receiversRead;
        this.outbox = outbox;
        this.died = died;
    }

    // Progress.

    /** Sends and posts what waits for a peer, as far as there is space. */
    public void pump(Peer peer, Channel channel) {
        while (!peer.granting.isEmpty() && sendGrant(channel, peer.granting.getFirst())) {
            peer.granting.removeFirst();
        }
        while (!peer.transfers.isEmpty() && postTransfers(peer, channel, peer.transfers.getFirst())) {
            peer.transfers.removeFirst();
        }
        while (!peer.written.isEmpty() && sendNumbers(channel, ElementKind.WRITTEN, peer.written)) {
            // The next element.
        }
        while (peer.readDoneDue() && sendNumbers(channel, ElementKind.READ_DONE, peer.readDone)) {
            // The next element.
        }
        while (!peer.declined.isEmpty() && sendNumbers(channel, ElementKind.DECLINED, peer.declined)) {
            // The next element.
        }
    }

    /** Sends as many numbers as one element holds. */
    private boolean sendNumbers(Channel channel, int kind, ArrayDeque<Integer> numbers) {
        int count = Math.min(numbers.size(), MAX_NUMBERS);
        int at = 0;
        int first = 0;
        for (int number : numbers) {
            if (at == count) {
                break;
            }
            if (at == 0) {
                first = number;
            } else {
                payload.setAtIndex(INT, at - 1, number);
            }
            at++;
        }
        if (!Outbox.sendControl(channel, kind, 0, 0, first, payload, Integer.BYTES * (at - 1))) {
            return false;
        }
        for (int i = 0; i < at; i++) {
            numbers.removeFirst();
        }
        return true;
    }

    private boolean sendGrant(Channel channel, Operation receive) {
        receive.grantedRegion().write(payload, 0);
        payload.set(INT, RemoteRegion.ENCODED_BYTES, receive.id);
        return Outbox.sendControl(
                channel, ElementKind.GRANT, 0, 0, receive.remoteId(), payload, ElementKind.MAX_CONTROL_BYTES);
    }

    /** Posts Reads or Writes; after the last Write of a message the peer has to be notified. */
    private static boolean postTransfers(Peer peer, Channel channel, Operation operation) {
        if (!operation.postTransfers(channel)) {
            return false;
        }
        if (operation.sends) {
            peer.written.addLast(operation.remoteId());
        }
        return true;
    }

    // Sender.

    /** Announces a message to the peer; returns false if that is not possible now. */
    public boolean announce(Peer peer, Channel channel, Operation send) {
        if (!peer.sendCredit.mayRequest()) {
            return false;
        }
        if (send.registration == null && send.length > 0) {
            Registrations.Use use = receiversRead ? Registrations.Use.READ_BY_PEER : Registrations.Use.SENT;
            send.registration = peer.registrations().of(send.buffer, send.offset, send.length, use);
        }
        if (send.id < 0) {
            operations.add(send);
            send.source = peer;
        }
        if (!sendAnnouncement(channel, send)) {
            return false;
        }
        send.announced();
        peer.sendCredit.onRequested();
        channel.counters().rendezvous++;
        return true;
    }

    private boolean sendAnnouncement(Channel channel, Operation send) {
        int kind = ElementKind.REQUEST;
        int length = ElementKind.MAX_CONTROL_BYTES;
        if (receiversRead) {
            send.remoteRegion().write(payload, 0);
            payload.set(INT, RemoteRegion.ENCODED_BYTES, send.id);
        } else {
            kind = ElementKind.OFFER;
            length = Integer.BYTES;
            payload.set(INT, 0, send.id);
        }
        return Outbox.sendControl(channel, kind, send.tag(), send.context(), send.length, payload, length);
    }

    private void onReadDone(Peer peer, Channel channel, long id) {
        Operation send = operations.findSend(id, peer);
        if (send == null || !send.awaitsPeer() || !receiversRead) {
            channel.fail("Rank " + peer.rank() + " reported to have read a message that was not sent to it.");
            return;
        }
        peer.sendCredit.onRequestAnswered();
        finishSend(send);
    }

    private void onGrant(Peer peer, Channel channel, Element element) {
        Operation send = operations.findSend(element.word(), peer);
        if (send == null || !send.awaitsPeer() || receiversRead || !holdsRegion(element)) {
            channel.fail("Rank " + peer.rank() + " granted memory for a message that was not offered to it.");
            return;
        }
        element.copyTo(payload, 0, ElementKind.MAX_CONTROL_BYTES);
        RemoteRegion granted = RemoteRegion.read(payload, 0);
        if (granted.length() > send.length) {
            channel.fail("Rank " + peer.rank() + " granted " + granted.length() + " bytes for a message of "
                    + send.length + " bytes.");
            return;
        }
        peer.sendCredit.onRequestAnswered();
        send.startWriting(granted, payload.get(INT, RemoteRegion.ENCODED_BYTES));
        if (granted.length() > 0) {
            peer.transfers.addLast(send);
        } else {
            peer.written.addLast(send.remoteId());
            finishSend(send);
        }
        outbox.schedule(peer);
    }

    /** The peer has abandoned the collective operation that a message belongs to, or its communicator was revoked. */
    private void onDeclined(Peer peer, Channel channel, long id) {
        Operation send = operations.findSend(id, peer);
        if (send == null || !send.awaitsPeer() || !mayDecline(send.context())) {
            channel.fail("Rank " + peer.rank() + " declined a message that it cannot decline.");
            return;
        }
        peer.sendCredit.onRequestAnswered();
        operations.remove(send);
        if (Contexts.kind(send.context()) == Contexts.MESSAGES) {
            send.releaseRegistration();
            send.revoke("Rank " + peer.rank() + " knows that the communicator was revoked.");
            return;
        }
        send.decline(
                "Rank " + peer.rank() + " has abandoned the collective operation that the message belongs to.",
                died.get());
    }

    private static boolean mayDecline(int context) {
        return Contexts.kind(context) != Contexts.BARRIERS;
    }

    private void finishSend(Operation send) {
        operations.remove(send);
        send.releaseRegistration();
        send.sent();
    }

    // Receiver.

    /** Returns whether the announcement of a message is valid. */
    public static boolean wellFormed(Element element) {
        return element.word() >= 0
                && (element.kind() == ElementKind.REQUEST ? holdsRegion(element) : element.length() == Integer.BYTES);
    }

    /** Returns whether the payload is an address, whose length must not be negative, and a number. */
    private static boolean holdsRegion(Element element) {
        return element.length() == ElementKind.MAX_CONTROL_BYTES && element.longAt(BIG_ENDIAN_LONG, Long.BYTES) >= 0;
    }

    /** Stores the announcement of a message. */
    public void read(Element element, Unexpected into) {
        element.copyTo(payload, 0, element.length());
        into.kind = element.kind();
        into.length = element.word();
        if (into.kind == ElementKind.REQUEST) {
            RemoteRegion region = RemoteRegion.read(payload, 0);
            into.address = region.address();
            into.rkey = region.rkey();
        }
        into.id = payload.get(INT, into.kind == ElementKind.REQUEST ? RemoteRegion.ENCODED_BYTES : 0);
    }

    /** A receive was matched to a message: starts the Reads, or grants the buffer to the peer. */
    public void start(Operation receive, Peer peer, int tag, Unexpected message) {
        Channel channel = peer.channel;
        if (channel == null || !channel.open()) {
            receive.fail(
                    peer.gone.isEmpty() ? "The connection to rank " + peer.rank() + " has ended." : peer.gone,
                    died.get());
            return;
        }
        boolean reads = message.kind == ElementKind.REQUEST;
        receive.startReceiving(
                peer, tag, message, reads ? Registrations.Use.RECEIVED : Registrations.Use.WRITTEN_BY_PEER);
        operations.add(receive);
        if (!reads) {
            peer.granting.addLast(receive);
        } else if (receive.transferred()) { // of no bytes
            finishReceive(receive);
        } else {
            peer.transfers.addLast(receive);
        }
        outbox.schedule(peer);
    }

    /** Posts the Write of no bytes behind the notices. */
    public static void pumpFence(Peer peer, Channel channel) {
        if (!peer.abandoned.isEmpty()
                && peer.fenced.isEmpty()
                && peer.died.isEmpty()
                && peer.revoked.isEmpty()
                && channel.fence(FENCE)) {
            peer.fenced.addAll(peer.abandoned);
            peer.abandoned.clear();
        }
    }

    /** The Write of no bytes has completed. */
    public static void fencePassed(Peer peer) {
        peer.fenced.forEach(Operation::detach);
        peer.fenced.clear();
    }

    /** Returns whether peers read the messages of this rank. */
    public boolean reads() {
        return receiversRead;
    }

    /** A send of a failed collective operation that has not been announced. */
    public void withdraw(Operation send) {
        operations.remove(send);
        send.fail("The collective operation has failed.", died.get());
    }

    /** A receive of a failed collective operation; if none of its Reads was posted, none is. */
    public void abandon(Operation receive) {
        Peer peer = receive.source;
        if (!receive.begun() && peer.transfers.remove(receive)) {
            operations.remove(receive);
            decline(peer, receive.remoteId());
            receive.fail("The collective operation has failed.", died.get());
        }
    }

    /** Declines a message of an abandoned collective operation. */
    public void decline(Peer peer, int id) {
        if (peer.channel != null) {
            peer.declined.addLast(id);
            outbox.schedule(peer);
        }
    }

    private void finishReceive(Operation receive) {
        operations.remove(receive);
        if (receive.finishReceiving()) {
            receive.source.onRead(receive.remoteId(), mayWait(receive));
            outbox.schedule(receive.source);
        }
    }

    /**
     * Returns whether the sender of a message that was read need not be notified at once: it waits for all messages of
     * a round of its collective operation, and others of them are being read. Over a network each notice costs as much
     * as to copy tens of kilobytes.
     */
    private boolean mayWait(Operation receive) {
        Channel channel = receive.source.channel;
        return Contexts.kind(receive.context()) == Contexts.SCHEDULES
                && channel != null
                && !channel.direct()
                && operations.readsMore(receive);
    }

    private void onWritten(Peer peer, Channel channel, long id) {
        Operation receive = operations.findReceive(id, peer);
        if (receive == null || !receive.writtenByPeer()) {
            channel.fail(
                    "Rank " + peer.rank() + " reported to have written a message that it was not granted memory for.");
            return;
        }
        finishReceive(receive);
    }

    // Both.

    /** A control element of a peer has arrived. */
    public void arrived(Peer peer, Channel channel, Element element) {
        if (element.kind() == ElementKind.GRANT) {
            onGrant(peer, channel, element);
            return;
        }
        int further = Math.min(element.length(), ElementKind.MAX_CONTROL_BYTES) / Integer.BYTES;
        int kind = element.kind();
        long first = element.word();
        element.copyTo(payload, 0, Integer.BYTES * further);
        for (int i = 0; i <= further; i++) {
            long id = i == 0 ? first : payload.getAtIndex(INT, i - 1);
            switch (kind) {
                case ElementKind.READ_DONE -> onReadDone(peer, channel, id);
                case ElementKind.DECLINED -> onDeclined(peer, channel, id);
                default -> onWritten(peer, channel, id);
            }
        }
    }

    /** A Read or a Write has completed. */
    public void transferred(Peer peer, long id, boolean ok) {
        Operation operation = operations.find(id, peer);
        if (operation == null) {
            return; // it has failed already
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

    /** The connection to a peer has ended. */
    public void gone(Peer peer, String sentence, List<Integer> died) {
        operations.removeAll(peer, operation -> operation.fail(sentence, died));
    }
}
