package io.verbena.tools.fabric;

import io.verbena.web.NetworkAction;
import io.verbena.web.NetworkNode;
import io.verbena.web.NetworkPlan;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What pages ask of a network, until the one thread that uses the network does it. */
public final class ActionQueue {

    private static final int MOST = 256;
    private static final long ANSWER_S = 2;

    private final BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MOST);
    private final Runnable wakeup;

    /** A queue whose user is woken up by {@code wakeup}, if it does not wait in {@link #await}. */
    public ActionQueue(Runnable wakeup) {
        this.wakeup = wakeup;
    }

    /**
     * Adds an action.
     *
     * @throws IllegalArgumentException if the plan does not have what it names, or too many actions wait
     */
    public void add(NetworkPlan plan, NetworkAction action, Consumer<NetworkAction> execute) {
        switch (action) {
            case NetworkAction.Link link ->
                check("link", link.number(), plan.links().size());
            case NetworkAction.Node node ->
                check("node", node.number(), plan.nodes().size());
            default -> {
                if (!plan.timed()) {
                    throw new IllegalArgumentException("the time of this network cannot be set");
                }
            }
        }
        offer(() -> execute.accept(action));
    }

    /**
     * Asks for what is in a node.
     *
     * @throws IllegalArgumentException if there is no answer in time
     */
    public NetworkNode node(NetworkPlan plan, int number, Supplier<NetworkNode> look) {
        check("node", number, plan.nodes().size());
        return ask(look);
    }

    /**
     * Asks for what only the thread of the network can read.
     *
     * @throws IllegalArgumentException if there is no answer in time
     */
    public <T> T ask(Supplier<T> look) {
        CompletableFuture<T> found = new CompletableFuture<>();
        offer(() -> found.complete(look.get()));
        try {
            return found.get(ANSWER_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException("the server is closed", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalArgumentException("the network is busy", e);
        }
    }

    private static void check(String what, int number, int count) {
        if (number < 0 || number >= count) {
            throw new IllegalArgumentException("there is no " + what + " " + number);
        }
    }

    private void offer(Runnable request) {
        if (!waiting.offer(request)) {
            throw new IllegalArgumentException("too many requests wait already");
        }
        wakeup.run();
    }

    /** Executes what waits. Returns whether there was something. */
    public boolean execute() {
        boolean any = false;
        for (Runnable each = waiting.poll(); each != null; each = waiting.poll()) {
            each.run();
            any = true;
        }
        return any;
    }

    /** Waits for a request for a time, and executes it. */
    public boolean await(long ms) throws InterruptedException {
        Runnable first = waiting.poll(ms, TimeUnit.MILLISECONDS);
        if (first == null) {
            return false;
        }
        first.run();
        execute();
        return true;
    }
}
