package io.verbena.iwarp;

import io.verbena.iwarp.early.EarlyMessages;
import io.verbena.iwarp.early.UlpduSink;

import io.verbena.wire.Ulpdu;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** A receiving half whose memory is missing when the test says so. */
final class NotNow extends UlpduSink {

    private final UlpduSink inner;
    private final BooleanSupplier absent;

    NotNow(UlpduSink inner, BooleanSupplier absent) {
        this.inner = inner;
        this.absent = absent;
    }

    @Override
    boolean admit(Ulpdu u, MemorySegment segment) {
        return inner.admit(u, segment);
    }

    @Override
    Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        return count > 0 && absent.getAsBoolean() ? Moved.NOT_NOW : inner.place(u, done, source, sourceOffset, count);
    }

    @Override
    Moved placeEarly(Ulpdu u, MemorySegment source) {
        return absent.getAsBoolean() ? Moved.NOT_NOW : inner.placeEarly(u, source);
    }

    @Override
    Moved deliver(Ulpdu u, MemorySegment segment) {
        return !carriesData(u) && absent.getAsBoolean() ? Moved.NOT_NOW : inner.deliver(u, segment);
    }

    @Override
    boolean admits(Ulpdu u) {
        return inner.admits(u);
    }

    @Override
    boolean enterEarly(Ulpdu u, MemorySegment segment) {
        return inner.enterEarly(u, segment);
    }

    @Override
    EarlyMessages entered() {
        return inner.entered();
    }

    @Override
    void deliverSends(Ulpdu first, int count, int nextMo) {
        inner.deliverSends(first, count, nextMo);
    }

    @Override
    ByteBuffer view(Ulpdu u, long done, int count) {
        return inner.view(u, done, count);
    }

    @Override
    long viewAddress() {
        return inner.viewAddress();
    }
}
