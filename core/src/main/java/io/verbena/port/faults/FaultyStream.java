package io.verbena.port.faults;

import io.verbena.base.RandomSource;
import io.verbena.port.ByteStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamWrapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A stream with the faults of a {@link FaultPlan}: split reads and writes, delays, flipped bits, a reset, silence.
 * Created by {@link FaultyLoop}, which also runs its timers. All decisions derive from one random number, so that the
 * run of a seed can be repeated.
 */
public final class FaultyStream extends StreamWrapper {

    private static final int COPY_BYTES = 4096;

    private final FaultyDirection reading;
    private final FaultyDirection writing;
    private @Nullable FaultyLoop loop;
    private @Nullable StreamEvents events;
    private @Nullable ByteBuffer copy;
    private long nowNs;
    private boolean killed;
    private boolean wantsReadable;
    private boolean wantsWritable;

    /** Whether the loop has a timer for this stream. */
    boolean waiting;

    long wakeAtNs;

    FaultyStream(ByteStream inner, FaultPlan plan, RandomSource random) {
        super(inner);
        reading = new FaultyDirection(plan, random.nextLong());
        writing = new FaultyDirection(plan, random.nextLong());
    }

    @Override
    protected StreamEvents attached(LoopWrapper faultyLoop, StreamEvents owner) {
        loop = (FaultyLoop) faultyLoop;
        events = owner;
        wantsReadable = true;
        wantsWritable = false;
        return owner;
    }

    @Override
    protected void detached() {
        FaultyLoop from = loop;
        if (from != null) {
            from.forget(this);
        }
        loop = null;
        events = null;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!mayPass(reading)) {
            inner().wantReadable(false);
            return 0;
        }
        int allowed = reading.allow(target.remaining());
        int start = target.position();
        int limit = target.limit();
        int count;
        try {
            count = inner().read(target.limit(start + allowed));
        } finally {
            target.limit(limit);
        }
        if (count > 0) {
            int flip = reading.flipWithin(count);
            if (flip >= 0) {
                int at = start + flip;
                target.put(at, (byte) (target.get(at) ^ reading.flipMask()));
            }
            passed(reading, count);
            if (target.hasRemaining()) {
                // A caller that got less than requested may consider the stream drained: make it read again.
                wakeAt(reading.held(nowNs) ? reading.heldUntilNs() : nowNs);
            }
        }
        return count;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (!mayPass(writing)) {
            inner().wantWritable(false);
            return 0;
        }
        int allowed = writing.allow(source.remaining());
        int flip = writing.flipWithin(allowed);
        int count = flip >= 0 ? writeFlipped(source, allowed, flip) : writePart(source, allowed);
        if (count > 0) {
            passed(writing, count);
        }
        return count;
    }

    private int writePart(ByteBuffer source, int allowed) throws IOException {
        int limit = source.limit();
        try {
            return inner().write(source.limit(source.position() + allowed));
        } finally {
            source.limit(limit);
        }
    }

    /** The buffer of the caller must not be changed: writes a copy, at most up to the flipped byte. */
    private int writeFlipped(ByteBuffer source, int allowed, int flip) throws IOException {
        if (flip >= COPY_BYTES) {
            return writePart(source, Math.min(allowed, flip));
        }
        ByteBuffer out = copy;
        if (out == null) {
            out = ByteBuffer.allocateDirect(COPY_BYTES);
            copy = out;
        }
        int length = flip + 1;
        out.clear().put(0, source, source.position(), length).limit(length);
        out.put(flip, (byte) (out.get(flip) ^ writing.flipMask()));
        int count = inner().write(out);
        if (count > 0) {
            source.position(source.position() + count);
        }
        return count;
    }

    private boolean mayPass(FaultyDirection direction) throws IOException {
        if (!killed && direction.killed()) {
            killed = true;
            inner().close(true);
        }
        if (killed) {
            throw new IOException("the connection was reset (by an injected fault)");
        }
        return open(direction);
    }

    private void passed(FaultyDirection direction, int count) {
        direction.onPassed(count, nowNs);
        if (direction.killed()) {
            wakeAt(nowNs); // a reset is reported at once, as TCP does
        }
    }

    private void wakeAt(long timeNs) {
        FaultyLoop currentLoop = loop;
        if (currentLoop != null) {
            currentLoop.wakeAt(this, timeNs);
        }
    }

    /** A delay has expired: the direction is tried again. */
    void onTime() {
        StreamEvents owner = events;
        if (owner == null) {
            return;
        }
        if (!killed) {
            wantReadable(wantsReadable);
            wantWritable(wantsWritable);
        }
        if (wantsReadable) {
            owner.onReadable();
        }
        if (wantsWritable && events != null) {
            owner.onWritable();
        }
    }

    @Override
    public void wantReadable(boolean wanted) {
        wantsReadable = wanted;
        if (!killed) {
            inner().wantReadable(wanted && open(reading));
        }
    }

    @Override
    public void wantWritable(boolean wanted) {
        wantsWritable = wanted;
        if (!killed) {
            inner().wantWritable(wanted && open(writing));
        }
    }

    /** Whether readiness is useful now; if only later, the loop retries then. */
    private boolean open(FaultyDirection direction) {
        if (direction.stalled()) {
            return false;
        }
        tick();
        if (direction.held(nowNs)) {
            wakeAt(direction.heldUntilNs());
            return false;
        }
        return true;
    }

    private void tick() {
        FaultyLoop currentLoop = loop;
        if (currentLoop != null) {
            nowNs = currentLoop.nowNs();
        }
    }
}
