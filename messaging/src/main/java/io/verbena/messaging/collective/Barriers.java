package io.verbena.messaging.collective;

/** Barriers. */
final class Barriers {

    private Barriers() {}

    /** In step k each rank notifies the rank 2^k after it and waits for the rank 2^k before it. */
    static void dissemination(ScheduleBuilder steps) {
        for (int distance = 1; distance < steps.size; distance *= 2) {
            steps.exchange(steps.after(distance), Place.SEND, 0, steps.after(-distance), Place.RECEIVE, 0);
        }
    }
}
