package io.verbena.sim.model;

import io.verbena.sim.SimRandom;

/**
 * What one side has to do.
 *
 * @param quota number of send requests
 * @param signalsAll whether every request is signalled
 */
record Task(int quota, boolean signalsAll) {

    static Task draw(SimRandom random, Plan plan) {
        return new Task(random.between(1, plan.mostOperations()), random.oneIn(3));
    }
}
