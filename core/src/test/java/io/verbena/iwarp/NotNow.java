package io.verbena.iwarp;

import io.verbena.iwarp.early.EarlyMessages;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.wire.Ulpdu;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** A receiving half whose memory is missing when the test says so. */
public final class NotNow extends UlpduSink {

    private final UlpduSink inner;
    private final BooleanSupplier absent;

    public NotNow(UlpduSink inner, BooleanSupplier absent) {
        this.inner = inner;
        this.absent = absent;
    }

    @Override
    public boolean admit(Ulpdu u, MemorySegment segment) {
        return inner.admit(u, segment);
    }

    @Override
    public Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        return count > 0 && absent.getAsBoolean() ? Moved.NOT_NOW : inner.place(u, done, source, sourceOffset, count);
    }

    @Override
    public Moved placeEarly(Ulpdu u, MemorySegment source) {
        return absent.getAsBoolean() ? Moved.NOT_NOW : inner.placeEarly(u, source);
    }

    @Override
    public Moved deliver(Ulpdu u, MemorySegment segment) {
        return !carriesData(u) && absent.getAsBoolean() ? Moved.NOT_NOW : inner.deliver(u, segment);
    }

    @Override
    public boolean admits(Ulpdu u) {
        return inner.admits(u);
    }

    @Override
    public boolean enterEarly(Ulpdu u, MemorySegment segment) {
        return inner.enterEarly(u, segment);
    }

    @Override
    public EarlyMessages entered() {
        return inner.entered();
    }

    @Override
    public void deliverSends(Ulpdu first, int count, int nextMo) {
        inner.deliverSends(first, count, nextMo);
    }

    @Override
    public ByteBuffer view(Ulpdu u, long done, int count) {
        return inner.view(u, done, count);
    }

    @Override
    public long viewAddress() {
        return inner.viewAddress();
    }
}
