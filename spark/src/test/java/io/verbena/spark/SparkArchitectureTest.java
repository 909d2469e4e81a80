package io.verbena.spark;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shuffle uses the verbs and Spark, and prints nothing. */
@Tag("sources")
class SparkArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.spark");

    @Test
    void spark_ofVerbena_usesTheVerbsOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage("io.verbena.verbs", "io.verbena.spark.."))))
                .check(CLASSES);
    }

    @Test
    void spark_usesNoInternalsOfTheJdk() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .check(CLASSES);
    }

    @Test
    void spark_printsNothing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(CLASSES);
    }
}
