package io.verbena.storage.subsystem;

import io.verbena.storage.wire.Status;

/**
 * A shutdown that flushes the namespaces one after the other, because the host may cut the power when it is complete. The Property Set
 * that began it is answered at the end.
 */
final class Shutdown {
    private final TargetQueue queue;
    private final Controller controller;
    private final Command command;
    private int lastFlushed;

    Shutdown(TargetQueue queue, Controller controller, Command command) {
        this.queue = queue;
        this.controller = controller;
        this.command = command;
    }

    boolean isOf(Command other) {
        return command == other;
    }

    /** Flushes the next namespace. Namespaces may have been added and removed since the last one. */
    void proceed() {
        for (Namespace namespace : controller.view().all()) {
            if (namespace.id() > lastFlushed) {
                lastFlushed = namespace.id();
                command.prepare(DeviceOperation.FLUSH, namespace.device(), 0, 0, false);
                queue.run(command);
                return;
            }
        }
        controller.flushed(true);
        queue.respond(command, Status.SUCCESS, 0);
    }

    void onFlushed(Status status) {
        if (status == Status.SUCCESS) {
            proceed();
        } else {
            controller.flushed(false);
            queue.respond(command, status, 0);
        }
    }
}
