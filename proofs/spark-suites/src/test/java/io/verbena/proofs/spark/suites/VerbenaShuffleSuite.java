package io.verbena.proofs.spark.suites;

import io.verbena.spark.VerbenaShuffleManager;
import org.apache.spark.SortShuffleSuite;

/** Spark's tests of its own shuffle manager, with the one of Verbena. */
public class VerbenaShuffleSuite extends SortShuffleSuite {

    @Override
    public void beforeAll() {
        super.beforeAll();
        conf().set("spark.shuffle.manager", VerbenaShuffleManager.class.getName());
    }
}
