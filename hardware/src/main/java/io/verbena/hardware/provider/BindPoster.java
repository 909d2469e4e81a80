package io.verbena.hardware.provider;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvMw;
import io.verbena.hardware.abi.IbvMwBind;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.provider.request.NativeOpcode;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.objects.Template;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Posts binds and unbinds of memory windows. A window of type 2 is bound by a request; if it is bound, a local invalidate goes before,
 * because an adapter refuses another bind. A window of type 1 is bound by a call of its own.
 */
final class BindPoster {

    private static final int SIGNALED = 2;

    private final SendPoster sends;
    private final HardwareQueuePair queuePair;
    private final SlotTable slots;
    private @Nullable HardwareWindow[] bySlot = new HardwareWindow[0];

    BindPoster(SendPoster sends) {
        this.sends = sends;
        queuePair = sends.queuePair();
        slots = queuePair.sends();
    }

    boolean post(Template template) {
        if (bySlot.length == 0) {
            bySlot = new HardwareWindow[slots.depth()];
        }
        WorkOpcode opcode = template.opcode();
        HardwareWindow window = HardwareWindow.of(template.window(), queuePair.domain());
        boolean pair = opcode == WorkOpcode.BIND && window.mustInvalidate();
        if (!sends.begin(opcode) || pair && !slots.free(2)) {
            return false;
        }
        if (queuePair.state().failed()) {
            return sends.commit(opcode, template.wqe().wrId(), 0, template.flags());
        }
        if (!window.forOneQueuePair()) {
            return postType1(template, window);
        }
        return opcode == WorkOpcode.BIND ? bind(template, window, pair) : unbind(template, window);
    }

    private boolean bind(Template template, HardwareWindow window, boolean pair) {
        // librxe takes the key that the window has from the ibv_mw when the list of the request is posted.
        sends.postChain();
        long mw = window.mw();
        Native.putInt(mw + IbvMw.RKEY, window.rkey());
        if (pair) {
            invalidate(window.rkey());
            sends.first(WorkOpcode.BIND, template.wqe().wrId(), 0, template.flags());
            int slot = slots.next();
            long _ = sends.requests().begin(slot, WorkId.send(queuePair.id(), slot));
        }
        int slot = slots.next();
        long request = sends.requests().request(slot);
        int key = window.nextKey();
        Native.putInt(request + IbvSendWr.OPCODE, NativeOpcode.BIND_MW);
        Native.putLong(request + IbvSendWr.BIND_MW, mw);
        Native.putInt(request + IbvSendWr.BIND_RKEY, key);
        Native.putLong(request + IbvSendWr.BIND_MR, region(template).mr());
        Native.putLong(
                request + IbvSendWr.BIND_ADDR,
                region(template).address() + template.wqe().remoteAddress());
        Native.putLong(request + IbvSendWr.BIND_LENGTH, template.wqe().operand1());
        Native.putInt(request + IbvSendWr.BIND_ACCESS, HardwareRegion.bits(template.rights(), false));
        bySlot[slot] = window;
        window.posted(key, bound(template));
        WrFlags flags = template.flags();
        return posted(
                window,
                pair
                        ? sends.second(WorkOpcode.BIND, template.wqe().wrId(), 0, flags)
                        : sends.commit(WorkOpcode.BIND, template.wqe().wrId(), 0, flags));
    }

    private HardwareRegion region(Template template) {
        return HardwareRegion.of(template.region(0), queuePair.domain());
    }

    /** A bind to no bytes names a region too, because librxe reads its key without a look at the length. */
    private HardwareRegion unbindRegion() {
        return HardwareRegion.of(queuePair.domain().unbindRegion(), queuePair.domain());
    }

    private HardwareWindow.Bound bound(Template template) {
        return new HardwareWindow.Bound(
                region(template), template.wqe().remoteAddress(), template.wqe().operand1(), queuePair);
    }

    private boolean unbind(Template template, HardwareWindow window) {
        long _ = window.mw();
        invalidate(window.rkey());
        bySlot[slots.next()] = window;
        window.unbindPosted();
        return posted(window, sends.commit(WorkOpcode.UNBIND, template.wqe().wrId(), 0, template.flags()));
    }

    private static boolean posted(HardwareWindow window, boolean taken) {
        if (!taken) {
            window.failed();
        }
        return taken;
    }

    private void invalidate(int key) {
        long request = sends.requests().request(slots.next());
        Native.putInt(request + IbvSendWr.OPCODE, NativeOpcode.LOCAL_INV);
        Native.putInt(request + IbvSendWr.INVALIDATE_RKEY, key);
    }

    /** A bind of type 1, or an unbind, which is a bind to no bytes. The function posts it, so that it is never part of a batch. */
    private boolean postType1(Template template, HardwareWindow window) {
        if (sends.holds()) {
            throw new UnsupportedOperationException(
                    "A window of the scope DOMAIN cannot be bound by work that waits for a"
                            + " delay; use the scope QUEUE_PAIR.");
        }
        sends.postChain();
        boolean binds = template.opcode() == WorkOpcode.BIND;
        window.endBindAtOnce();
        long mw = window.mw();
        int slot = slots.next();
        boolean report = template.flags().signalled() || queuePair.options().signalAll();
        boolean signal = slots.add(template.wqe().wrId(), NativeOpcode.completion(template.opcode()), 0, report);
        bySlot[slot] = window;
        int errno;
        try (Arena arena = Arena.ofConfined()) {
            long bind = arena.allocate(IbvMwBind.STRUCT.sizeBytes(), 8).address();
            Native.putLong(bind + IbvMwBind.WR_ID, WorkId.send(queuePair.id(), slot));
            Native.putInt(bind + IbvMwBind.SEND_FLAGS, signal ? SIGNALED : 0);
            HardwareRegion region = binds ? region(template) : unbindRegion();
            Native.putLong(bind + IbvMwBind.MR, region.mr());
            Native.putLong(bind + IbvMwBind.ADDR, region.address());
            if (binds) {
                Native.putLong(
                        bind + IbvMwBind.ADDR,
                        region(template).address() + template.wqe().remoteAddress());
                Native.putLong(bind + IbvMwBind.LENGTH, template.wqe().operand1());
                Native.putInt(bind + IbvMwBind.ACCESS, HardwareRegion.bits(template.rights(), false));
            }
            errno = queuePair.domain().rnic().adapter().calls().bindMw(queuePair.qp(), mw, bind);
        }
        if (errno != 0) {
            slots.takeBack();
            if (errno == Errno.ENOMEM) {
                return false;
            }
            throw new VerbsException("The adapter refused a bind: " + Errno.text(errno) + ".");
        }
        if (binds) {
            window.posted(Native.intAt(mw + IbvMw.RKEY), bound(template));
        } else {
            window.unbindPosted();
        }
        return true;
    }

    /** The request in a slot has failed. */
    void failed(int slot) {
        @Nullable HardwareWindow window = slot < bySlot.length ? bySlot[slot] : null;
        if (window != null && slots.opcode(slot) == CompletionOpcode.BIND) {
            bySlot[slot] = null;
            window.failed();
        }
    }
}
