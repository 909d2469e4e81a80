package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.transfer.Unexpected;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Looks for messages that have arrived without a receive, in one communicator. */
final class Probes {

    private final Messenger messenger;
    private final PointToPoint messages;
    private final Runnable usable;

    /**
     * Of a communicator.
     *
     * @param usable throws an exception if the communicator cannot be used any more
     */
    Probes(Messenger messenger, PointToPoint messages, Runnable usable) {
        this.messenger = messenger;
        this.messages = messages;
        this.usable = usable;
    }

    private void check(int source, int tag) {
        PointToPoint.checkAnyTag(tag);
        messages.checkSource(source);
        usable.run();
    }

    /** Makes progress, and describes the message that a receive would take; returns false if there is none. */
    boolean probe(int source, int tag, Status status) {
        check(source, tag);
        return messenger.guard().get(() -> {
            messenger.progress();
            boolean found = messenger.probe(messages.world(source), tag, messages.context(), status);
            if (found) {
                status.set(messages.local(status.source()), status.tag(), status.count());
            }
            return found;
        });
    }

    /** Makes progress, and takes the message that a receive would take. */
    Optional<Message> take(int source, int tag) {
        check(source, tag);
        return messenger.guard().get(() -> {
            messenger.progress();
            Unexpected found = messenger.remove(messages.world(source), tag, messages.context());
            return found == null
                    ? Optional.empty()
                    : Optional.of(new Message(
                            this, new Status().set(messages.local(found.source()), found.tag(), found.length), found));
        });
    }

    /** Starts to receive a message that was taken. */
    Request receive(Unexpected taken, MemorySegment buffer) {
        messages.checkReceive(buffer, 0, buffer.byteSize(), messages.local(taken.source()));
        usable.run();
        return messenger.guard().get(() -> messages.startReceive(taken, buffer));
    }

    /** Waits until a probe has succeeded. */
    void await(int source, int tag, BooleanSupplier probe) {
        check(source, tag);
        Waiter waiter = messenger.waiter();
        MessageRequest awaited = new MessageRequest(messenger)
                .start(false, MemorySegment.NULL, 0, 0, messages.world(source), tag, messages.context())
                .in(messages.group());
        long startNs = waiter.nowNs();
        while (!probe.getAsBoolean()) {
            messenger.guard().get(() -> {
                String gone = messenger.gone(messages.world(source), messages.group());
                if (!gone.isEmpty()) {
                    throw new RankFailedException(gone, messenger.failures().died());
                }
                waiter.idle(startNs);
                waiter.connectIfLong(awaited, startNs);
                return true;
            });
            if (waiter.timedOut(startNs)) {
                throw new MessagingException("No message arrived within the timeout of the communicator.");
            }
        }
    }
}
