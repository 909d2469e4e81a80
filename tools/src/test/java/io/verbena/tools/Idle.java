package io.verbena.tools;

/** A program that waits until a signal ends it. */
public final class Idle {

    private Idle() {}

    /** Waits. */
    public static void main(String... arguments) throws InterruptedException {
        System.err.println("started");
        Thread.currentThread().join();
    }
}
