package io.verbena.memory.vmm;

import io.verbena.memory.EngineEpoch;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Those who are affected by paging: engines that must leave their turns before a frame is reused, and actions to run
 * when pages have been moved. Any thread.
 */
public final class PagingObservers {

    private final List<EngineEpoch> epochs = new CopyOnWriteArrayList<>();
    private final List<Runnable> arrivals = new CopyOnWriteArrayList<>();
    private volatile Consumer<String> troubles = sentence -> {};
    private volatile Runnable changes = () -> {};

    PagingObservers() {}

    /** Adds an engine that will use the tables; call it before the engine does. */
    public void addEngine(EngineEpoch epoch) {
        epochs.add(epoch);
    }

    public void removeEngine(EngineEpoch epoch) {
        epochs.remove(epoch);
    }

    /** Adds an action to run, on any thread, when pages were read or could not be read. */
    public void onArrival(Runnable wake) {
        arrivals.add(wake);
    }

    /** Sets the consumer of messages about failing files. */
    public void onTrouble(Consumer<String> listener) {
        troubles = listener;
    }

    /** Sets the action to run when a condition has changed that a program may wait for. */
    public void onChange(Runnable wake) {
        changes = wake;
    }

    List<EngineEpoch> epochs() {
        return epochs;
    }

    /** Pages were read or could not be moved. An empty reason: nothing failed. */
    void pagesArrived(String trouble) {
        for (Runnable wake : arrivals) {
            wake.run();
        }
        if (!trouble.isEmpty()) {
            troubles.accept(trouble);
        }
        changes.run();
    }

    /** Pages have left their frames. */
    void pagesLeft() {
        changes.run();
    }
}
