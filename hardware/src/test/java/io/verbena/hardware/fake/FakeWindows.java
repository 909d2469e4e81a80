package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.IbvMw;
import io.verbena.hardware.abi.IbvMwBind;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.fake.FakeQueues.Qp;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The memory windows of the fake adapter, with the rules of rxe: one of type 2 is invalidated before it is bound again. */
final class FakeWindows {

    private static final int TYPE_2 = 2;
    private static final int BIND_RIGHT = 0x10;
    private static final int INDEX_SHIFT = 8;

    /** A window; without a region it is not bound. */
    private static final class Window {
        private final int type;
        private @Nullable Qp at;
        private long mr;
        private long address;
        private long length;
        private int access;

        private int key;

        private Window(int type, int key) {
            this.type = type;
            this.key = key;
        }

        private void unbind() {
            mr = 0;
            at = null;
        }
    }

    private final FakeAdapter adapter;
    private final Map<Long, Window> windows = new HashMap<>();
    private int lastIndex = 0x1000;

    FakeWindows(FakeAdapter adapter) {
        this.adapter = adapter;
    }

    long allocate(int type) {
        long mw = adapter.memory().allocate(IbvMw.STRUCT);
        Native.putInt(mw + IbvMw.RKEY, ++lastIndex << INDEX_SHIFT);
        Native.putInt(mw + IbvMw.TYPE, type);
        windows.put(mw, new Window(type, lastIndex << INDEX_SHIFT));
        return adapter.register(mw);
    }

    long free(long mw) {
        windows.remove(mw);
        return adapter.gone(mw);
    }

    boolean holds(long mr) {
        return windows.values().stream().anyMatch(each -> each.mr == mr);
    }

    boolean boundAt(Qp qp) {
        return windows.values().stream().anyMatch(each -> each.type == TYPE_2 && each.mr != 0 && each.at == qp);
    }

    private @Nullable Window withKey(int key) {
        return windows.values().stream()
                .filter(each -> each.key == key)
                .findFirst()
                .orElse(null);
    }

    /** Whether a peer of this queue pair may access a range by a key. */
    boolean granted(int key, long from, long bytes, int right, Qp qp) {
        Window window = withKey(key);
        return window != null
                && window.mr != 0
                && (window.type != TYPE_2 || window.at == qp)
                && from >= window.address
                && from + bytes <= window.address + window.length
                && (window.access & right) == right;
    }

    /** Invalidates a window of type 2; returns false if the key is not one of those. */
    boolean invalidate(int key) {
        Window window = withKey(key);
        if (window == null || window.type != TYPE_2) {
            return false;
        }
        window.unbind();
        return true;
    }

    /** A bind that was posted; returns whether it was allowed. */
    boolean bind(Qp qp, long wr) {
        long mw = Native.longAt(wr + IbvSendWr.BIND_MW);
        Window window = Objects.requireNonNull(windows.get(mw));
        // The program writes the key of its last bind to the ibv_mw; rxe compares it with the key that the window has.
        if (window.mr != 0 || Native.intAt(mw + IbvMw.RKEY) != window.key) {
            return false;
        }
        window.key = Native.intAt(wr + IbvSendWr.BIND_RKEY);
        return bind(
                window,
                qp,
                Native.longAt(wr + IbvSendWr.BIND_MR),
                Native.longAt(wr + IbvSendWr.BIND_ADDR),
                Native.longAt(wr + IbvSendWr.BIND_LENGTH),
                Native.intAt(wr + IbvSendWr.BIND_ACCESS));
    }

    private boolean bind(Window window, Qp qp, long mr, long address, long length, int access) {
        long[] region = Objects.requireNonNull(adapter.regions().get(Native.intAt(mr + IbvMr.LKEY)));
        boolean allowed =
                (region[2] & BIND_RIGHT) != 0 && address >= region[0] && address + length <= region[0] + region[1];
        if (allowed) {
            window.at = qp;
            window.mr = mr;
            window.address = address;
            window.length = length;
            window.access = access;
        }
        return allowed;
    }

    /** The function ibv_bind_mw, for type 1: no bytes unbind. */
    long bindType1(Qp qp, long mw, long bind) {
        Window window = Objects.requireNonNull(windows.get(mw));
        if (window.type == TYPE_2) {
            return Errno.EINVAL;
        }
        long mr = Native.longAt(bind + IbvMwBind.MR);
        if (mr == 0) {
            throw new AssertionError("librxe would read the key of no region, which ends the process");
        }
        long length = Native.longAt(bind + IbvMwBind.LENGTH);
        window.key++;
        Native.putInt(mw + IbvMw.RKEY, window.key);
        window.unbind();
        boolean done = length == 0
                || bind(
                        window,
                        qp,
                        mr,
                        Native.longAt(bind + IbvMwBind.ADDR),
                        length,
                        Native.intAt(bind + IbvMwBind.ACCESS));
        FakeWork.bound(qp, Native.longAt(bind + IbvMwBind.WR_ID), Native.intAt(bind + IbvMwBind.SEND_FLAGS), done);
        return 0;
    }
}
