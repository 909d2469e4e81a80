package io.verbena.rnic;

import io.verbena.base.StateMachine;
import io.verbena.base.TransitionTable;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePairState;
import java.util.Optional;

/**
 * A queue pair whose life is one table: the states that the verbs show are columns of its phases.
 *
 * @param <P> the phases
 * @param <E> the events
 */
public abstract class PhasedEndpoint<P extends Enum<P> & PhasedEndpoint.Phase, E extends Enum<E>>
        extends QueuePairEndpoint {

    /** What a phase shows. */
    public interface Phase {

        /** The queue pair state in this phase. */
        QueuePairState queuePair();

        /** The connection state in this phase, if there is a connection. */
        ConnectionState connection();
    }

    /** Changed by one thread at a time, under the lock; any thread reads {@link #phase}. */
    private final StateMachine<P, E> machine;

    private final P first;

    // Written by the engine (or under the lock), read by any thread.
    private volatile P phase;

    /** Creates the endpoint of a queue pair in its first phase. */
    protected PhasedEndpoint(SoftQueuePair queuePair, TransitionTable<P, E> table, P first) {
        super(queuePair);
        machine = new StateMachine<>(table, first);
        this.first = first;
        phase = first;
    }

    /** The phase. Any thread. */
    public final P phase() {
        return phase;
    }

    @Override
    public final QueuePairState state() {
        return phase.queuePair();
    }

    /**
     * Assigns the queue pair to a connection that is to be set up. Any thread.
     *
     * @param event begins the set-up
     * @throws IllegalStateException if the queue pair is in use
     */
    public void claim(SoftConnection claimant, E event) {
        synchronized (this) {
            queuePair().checkOpen();
            machine.on(event);
            connection(Optional.of(claimant));
            phase = machine.state();
        }
        context().changed();
    }

    /** Makes a transition, and reports the new state of the connection. */
    public final void on(E event, String sentence) {
        P next;
        synchronized (this) {
            if (!machine.on(event)) {
                return;
            }
            next = machine.state();
            phase = next;
        }
        if (next == first) {
            context().changed();
        } else {
            connectionMoved(next.connection(), sentence);
        }
    }
}
