package io.verbena.tcp.connection;

import io.verbena.tcp.flow.FlowKey;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connections of a host by the address of the peer, ports and path: open addressing, no allocation to find one. */
public final class FlowTable {

    private static final int FIRST_CAPACITY = 64;

    private @Nullable TcpConnection[] slots = new TcpConnection[FIRST_CAPACITY];
    private int count;

    public int count() {
        return count;
    }

    private int home(FlowKey key) {
        return key.tableHash() & slots.length - 1;
    }

    @Nullable
    public TcpConnection find(long remoteHigh, long remoteLow, int ports, int path) {
        int at = FlowKey.hash(remoteHigh, remoteLow, ports, path) & slots.length - 1;
        TcpConnection found;
        while ((found = slots[at]) != null) {
            if (found.key().is(remoteHigh, remoteLow, ports, path)) {
                return found;
            }
            at = at + 1 & slots.length - 1;
        }
        return null;
    }

    @Nullable
    public TcpConnection find(TcpConnection connection) {
        return find(connection.key());
    }

    @Nullable
    public TcpConnection find(FlowKey key) {
        return find(key.remote().high(), key.remote().low(), key.ports(), key.path());
    }

    public void add(TcpConnection connection) {
        if (2 * count >= slots.length) {
            @Nullable TcpConnection[] old = slots;
            slots = new TcpConnection[2 * old.length];
            for (TcpConnection each : old) {
                if (each != null) {
                    place(each);
                }
            }
        }
        place(connection);
        count++;
    }

    private void place(TcpConnection connection) {
        int at = home(connection.key());
        while (slots[at] != null) {
            at = at + 1 & slots.length - 1;
        }
        slots[at] = connection;
    }

    public void remove(TcpConnection connection) {
        int at = home(connection.key());
        TcpConnection found;
        while ((found = slots[at]) != null && !found.key().sameFlow(connection.key())) {
            at = at + 1 & slots.length - 1;
        }
        if (found == null) {
            return;
        }
        slots[at] = null;
        count--;
        closeGap(at);
    }

    /** Moves entries back that were placed after their home because the gap was in use. */
    private void closeGap(int empty) {
        int gap = empty;
        int at = gap + 1 & slots.length - 1;
        TcpConnection each;
        while ((each = slots[at]) != null) {
            int home = home(each.key());
            if ((at - home & slots.length - 1) >= (at - gap & slots.length - 1)) {
                slots[gap] = each;
                slots[at] = null;
                gap = at;
            }
            at = at + 1 & slots.length - 1;
        }
    }

    /** Whether a connection has this port. Looks at all of them. */
    public boolean has(int localPort) {
        for (TcpConnection each : slots) {
            if (each != null && each.key().localPort() == localPort) {
                return true;
            }
        }
        return false;
    }

    public void forEach(Consumer<TcpConnection> action) {
        for (TcpConnection each : slots.clone()) {
            if (each != null) {
                action.accept(each);
            }
        }
    }
}
