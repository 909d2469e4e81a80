package io.verbena.messaging.transfer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Numbers the operations whose messages move from user memory to user memory, so that a peer can name them. */
final class OperationTable {

    private final List<@Nullable Operation> operations = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();

    /** Assigns a number to an operation. */
    void add(Operation operation) {
        Integer number = free.pollFirst();
        if (number == null) {
            operations.add(operation);
            operation.id = operations.size() - 1;
        } else {
            operations.set(number, operation);
            operation.id = number;
        }
    }

    /** The operation with this number, if it is one with this peer; null otherwise. The number may come from the peer. */
    @Nullable
    Operation find(long id, Peer peer) {
        Operation found = id < 0 || id >= operations.size() ? null : operations.get((int) id);
        return found != null && found.source == peer ? found : null;
    }

    @Nullable
    Operation findSend(long id, Peer peer) {
        Operation found = find(id, peer);
        return found != null && found.sends ? found : null;
    }

    @Nullable
    Operation findReceive(long id, Peer peer) {
        Operation found = find(id, peer);
        return found != null && !found.sends ? found : null;
    }

    /** Returns whether another message of the collective operation of a receive is being read from the same peer. */
    boolean readsMore(Operation receive) {
        for (int i = 0; i < operations.size(); i++) {
            Operation at = operations.get(i);
            if (at != null
                    && !at.sends
                    && at.source == receive.source
                    && at.tag() == receive.tag()
                    && at.context() == receive.context()) {
                return true;
            }
        }
        return false;
    }

    void remove(Operation operation) {
        operations.set(operation.id, null);
        free.addLast(operation.id);
    }

    /** Removes all operations with a peer. */
    void removeAll(Peer peer, Consumer<Operation> then) {
        for (int i = 0; i < operations.size(); i++) {
            Operation at = operations.get(i);
            if (at != null && at.source == peer) {
                remove(at);
                then.accept(at);
            }
        }
    }
}
