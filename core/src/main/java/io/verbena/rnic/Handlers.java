package io.verbena.rnic;

import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** CQ handlers of an RNIC by their identifications: 1, 2, 3, … and never one twice. */
final class Handlers {

    private final Map<CqHandlerId, RegisteredHandler> byId = new ConcurrentHashMap<>();
    private final SoftRnic rnic;
    private final int most;
    private int last;

    Handlers(SoftRnic rnic, int most) {
        this.rnic = rnic;
        this.most = most;
    }

    synchronized CqHandlerId add(CqHandler handler, HandlerProcessor processor, HandlerOptions options) {
        if (byId.size() >= most) {
            throw new IllegalStateException(
                    most == 1
                            ? "this RNIC has one CQ handler and it is set; replace it, or remove it first"
                            : "all " + most + " CQ handlers of this RNIC are in use; several CQs can share one");
        }
        CqHandlerId id = new CqHandlerId(++last);
        byId.put(id, new RegisteredHandler(rnic, id, handler, processor, options));
        return id;
    }

    /** What is registered under an identification. */
    RegisteredHandler get(CqHandlerId id) {
        return known(id, byId.get(id));
    }

    boolean knows(CqHandlerId id) {
        return byId.containsKey(id);
    }

    int most() {
        return most;
    }

    RegisteredHandler remove(CqHandlerId id) {
        return known(id, byId.remove(id));
    }

    int size() {
        return byId.size();
    }

    RegisteredHandler[] all() {
        return byId.values().toArray(RegisteredHandler[]::new);
    }

    private static RegisteredHandler known(CqHandlerId id, @Nullable RegisteredHandler found) {
        if (found == null) {
            throw new IllegalArgumentException("no CQ handler has the identification " + id.value());
        }
        return found;
    }
}
