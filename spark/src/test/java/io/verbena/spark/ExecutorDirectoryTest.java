package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.internal.config.package$;
import org.apache.spark.rpc.RpcEnv;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;

/** The directory of a driver, asked through Spark's RPC by executors and by others. */
class ExecutorDirectoryTest {

    private static final String HOST = "127.0.0.1";
    private static final String EXECUTOR = "3";
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(HOST, 4_000);

    private final SparkConf conf = conf("that of the application");
    private RpcEnv driver;

    @BeforeEach
    void open() {
        driver = env(conf, false);
        ExecutorDirectory.open(driver);
    }

    @AfterEach
    void close() {
        driver.shutdown();
        driver.awaitTermination();
    }

    private static SparkConf conf(String secret) {
        return new SparkConf(false).set("spark.authenticate", "true").set("spark.authenticate.secret", secret);
    }

    private static RpcEnv env(SparkConf conf, boolean clientMode) {
        SecurityManager security = new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
        return RpcEnv.create("test", HOST, 0, conf, security, clientMode);
    }

    private SparkConf asking(SparkConf settings) {
        return settings.set("spark.driver.host", HOST)
                .set("spark.driver.port", String.valueOf(driver.address().port()));
    }

    @Test
    void executor_isFoundWhereItHasRegistered() throws Exception {
        ExecutorDirectory.Remote one = new ExecutorDirectory.Remote(asking(conf), driver);
        assertEquals(RangeServer.SECRET_BYTES, one.secret().length);
        assertThrows(IOException.class, () -> one.find(EXECUTOR));
        one.register(EXECUTOR, ADDRESS);
        one.register(EXECUTOR, ADDRESS); // as after an answer that was lost
        assertEquals(ADDRESS, one.find(EXECUTOR));
    }

    @Test
    void executor_cannotTakeThePlaceOfAnother() throws Exception {
        ExecutorDirectory.Remote one = new ExecutorDirectory.Remote(asking(conf), driver);
        one.register(EXECUTOR, ADDRESS);
        SparkException refused = assertThrows(
                SparkException.class, () -> one.register(EXECUTOR, new InetSocketAddress("127.0.0.2", 4_000)));
        assertTrue(
                String.valueOf(refused.getCause()).contains("executor 3 has registered another address"),
                refused::toString);
        assertEquals(ADDRESS, one.find(EXECUTOR));
    }

    @Test
    void processWithoutTheSecretOfSpark_learnsNothing() throws Exception {
        SparkConf other = asking(conf("another one"));
        RpcEnv stranger = env(other, true);
        try {
            assertThrows(Exception.class, () -> new ExecutorDirectory.Remote(other, stranger).secret());
        } finally {
            stranger.shutdown();
            stranger.awaitTermination();
        }
    }

    @Test
    void messages_thatAreNoRequests_areRefused() {
        ExecutorDirectory directory = new ExecutorDirectory(driver);
        for (Object message : new Object[] {
            "secret",
            7,
            new String[0],
            new String[1],
            new String[] {"secret", ""},
            new String[] {"find"},
            new String[] {"register", "1", HOST},
            Arrays.copyOf(new String[] {"register"}, 4)
        }) {
            assertThrows(SparkException.class, () -> directory.answer(message));
        }
    }
}
