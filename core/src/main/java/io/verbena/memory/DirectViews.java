package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Buffers over one segment for one engine. A buffer is limited to 2 GiB, so there is one for each GiB, which begins
 * there and is up to 2 GiB long: every range of up to 1 GiB minus 8 bytes is within one of them.
 */
final class DirectViews {

    /** Maximum length of a range that is always within one buffer. */
    static final int MAX_BYTES = (1 << 30) - 8;

    /** Longest segment that the JDK shows as a buffer. */
    private static final int WINDOW_BYTES = Integer.MAX_VALUE - 8;

    private static final int STEP_SHIFT = 30;

    private final MemorySegment segment;
    private final @Nullable ByteBuffer[] windows;

    DirectViews(MemorySegment segment) {
        this.segment = segment;
        windows = new ByteBuffer[(int) (segment.byteSize() - 1 >>> STEP_SHIFT) + 1];
    }

    ByteBuffer range(long offset, int length) {
        if (length > MAX_BYTES) {
            throw new IndexOutOfBoundsException(" a view is limited to " + MAX_BYTES + " bytes, not " + length);
        }
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        int index = (int) Math.min(offset >>> STEP_SHIFT, windows.length - 1);
        ByteBuffer window = windows[index];
        if (window == null) {
            window = window(index);
            windows[index] = window;
        }
        int start = (int) (offset - ((long) index << STEP_SHIFT));
        return window.clear().limit(start + length).position(start);
    }

    private ByteBuffer window(int index) {
        long start = (long) index << STEP_SHIFT;
        return segment.asSlice(start, Math.min(segment.byteSize() - start, WINDOW_BYTES))
                .asByteBuffer();
    }
}
