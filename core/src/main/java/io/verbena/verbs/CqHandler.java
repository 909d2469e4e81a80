package io.verbena.verbs;

/**
 * Runs when a requested notification of a CQ is due. It polls the CQ until it is empty and requests the next
 * notification. What it throws is logged and counted ({@link HandlerFigures#failures()}).
 */
@FunctionalInterface
public interface CqHandler {

    void onCompletion(CompletionQueue cq);
}
