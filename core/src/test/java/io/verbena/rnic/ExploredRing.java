package io.verbena.rnic;

import io.verbena.port.FrameStream;
import io.verbena.port.ShortMessages;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One end of a stream that is as one through shared memory: posts are executed where they are made, and short
 * messages are taken where they arrive.
 */
final class ExploredRing extends ExploredStream implements FrameStream, ShortMessages {

    private Optional<Taker> taker = Optional.empty();

    static ExploredStream[] pair() {
        return pair(new ExploredRing(), new ExploredRing());
    }

    @Override
    public Optional<ShortMessages> messages() {
        return Optional.of(this);
    }

    @Override
    public boolean writeFrame(ByteBuffer frame, int bytes) {
        return writeWhole(frame.slice(0, bytes));
    }

    @Override
    public void begin(Taker newTaker) {
        taker = Optional.of(newTaker);
    }

    @Override
    public boolean wanted() {
        return ((ExploredRing) peer()).taker.isPresent();
    }

    @Override
    public boolean write(ByteBuffer message, int bytes) {
        byte[] copy = new byte[bytes];
        message.get(0, copy);
        return writeMessage(copy);
    }

    @Override
    boolean takeMessages() {
        return taker.isPresent() && taker.get().takeMessages() > 0;
    }

    @Override
    public boolean hasNext() {
        return nextMessage().isPresent();
    }

    @Override
    public int next(ByteBuffer target) {
        Optional<byte[]> next = nextMessage();
        next.ifPresent(message -> target.put(0, message));
        return next.map(message -> message.length).orElse(0);
    }

    @Override
    public void taken() {
        messageTaken();
    }

    @Override
    public void endRun() {}
}
