/* See mariadb_calls.h. */

#define _GNU_SOURCE
#include "mariadb_calls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DEADLOCK = 1213 };

static const struct {
    const char *name;
    int parameters;
} PROCEDURES[CALLS] = {
    {"login", 2}, {"new_customer", 19}, {"browse_by_category", 2}, {"browse_by_actor", 2}, {"browse_by_title", 2},
    {"product_prices", MOST_LINES}, {"purchase", 5 + 2 * MOST_LINES}};

/* Of new_customer's parameters those that are whole numbers: zip, region, card type, age and income. */
static const int IS_NUMBER[MOST_PARAMETERS] = {[6] = 1, [8] = 1, [11] = 1, [16] = 1, [17] = 1};

double chance(Buyer *buyer)
{
    uint64_t x = buyer->chance; /* xorshift64* */
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    buyer->chance = x;
    return (double)((x * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

int below(Buyer *buyer, int limit) { return (int)(chance(buyer) * limit); }

void set_text(Call *call, int place, const char *text)
{
    call->sizes[place] = strlen(strcpy(call->texts[place], text));
}

/* Bind each parameter to its place, once. */
static void bind(Call *call, int kind)
{
    for (int place = 0; place < PROCEDURES[kind].parameters; place++) {
        int is_text = kind == LOGIN || (kind == NEW_CUSTOMER && !IS_NUMBER[place]) ||
                      ((kind == ACTOR || kind == TITLE) && place == 0);
        MYSQL_BIND *bound = &call->parameters[place];
        bound->buffer_type = is_text ? MYSQL_TYPE_STRING : MYSQL_TYPE_LONGLONG;
        bound->buffer = is_text ? (void *)call->texts[place] : (void *)&call->numbers[place];
        bound->buffer_length = TEXT_SPACE;
        bound->length = is_text ? &call->sizes[place] : NULL;
    }
}

static int failed(Buyer *buyer, const char *what, const char *why)
{
    if (buyer->failure[0] == 0)
        snprintf(buyer->failure, sizeof buyer->failure, "%s: %s", what, why);
    return -1;
}

static int prepare(Buyer *buyer, int kind)
{
    char text[200];
    int size = snprintf(text, sizeof text, "CALL %s(", PROCEDURES[kind].name);
    for (int place = 0; place < PROCEDURES[kind].parameters; place++)
        size += snprintf(text + size, sizeof text - size, place ? ",?" : "?");
    size += snprintf(text + size, sizeof text - size, ")");
    Call *call = &buyer->calls[kind];
    call->statement = mysql_stmt_init(buyer->connection);
    bind(call, kind);
    if (mysql_stmt_prepare(call->statement, text, size) || mysql_stmt_bind_param(call->statement, call->parameters))
        return failed(buyer, text, mysql_stmt_error(call->statement));
    return 0;
}

int open_buyer(Buyer *buyer, const Place *place)
{
    static const char *settings[] = {
        "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
        "SET SESSION innodb_lock_wait_timeout = 30"};
    buyer->connection = mysql_init(NULL);
    mysql_options(buyer->connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (!mysql_real_connect(
            buyer->connection, place->host, place->user, place->password, place->database, place->port, NULL,
            CLIENT_MULTI_RESULTS))
        return failed(buyer, "connect", mysql_error(buyer->connection));
    for (int number = 0; number < 2; number++)
        if (mysql_query(buyer->connection, settings[number]))
            return failed(buyer, settings[number], mysql_error(buyer->connection));
    for (int kind = 0; kind < CALLS; kind++)
        if (prepare(buyer, kind) < 0)
            return -1;
    return 0;
}

/* Take the rows of a result: their first two numbers. */
static int fetch(MYSQL_STMT *statement, int columns, long long (*found)[2])
{
    long long numbers[2] = {0};
    MYSQL_BIND row[2] = {
        {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &numbers[0]},
        {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &numbers[1]}};
    int rows = 0;
    if (columns > 2 || mysql_stmt_bind_result(statement, row) || mysql_stmt_store_result(statement))
        return -1;
    for (; rows < MOST_LINES && !mysql_stmt_fetch(statement); rows++)
        memcpy(found[rows], numbers, sizeof numbers);
    return rows;
}

static int execute(MYSQL_STMT *statement, long long (*found)[2])
{
    int rows = 0, next, columns;
    if (mysql_stmt_execute(statement))
        return -1;
    do {
        if ((columns = (int)mysql_stmt_field_count(statement)) == 0)
            continue;
        if (found != NULL)
            rows = fetch(statement, columns, found);
        else
            rows = mysql_stmt_store_result(statement) ? -1 : (int)mysql_stmt_num_rows(statement);
        if (rows < 0)
            return -1;
        mysql_stmt_free_result(statement);
    } while ((next = mysql_stmt_next_result(statement)) == 0);
    return next > 0 ? -1 : rows;
}

int ask(Buyer *buyer, int kind, long long (*found)[2], const volatile int *is_over)
{
    MYSQL_STMT *statement = buyer->calls[kind].statement;
    int rows;
    while ((rows = execute(statement, found)) < 0 && !*is_over) {
        if (mysql_stmt_errno(statement) != DEADLOCK)
            return failed(buyer, PROCEDURES[kind].name, mysql_stmt_error(statement));
        buyer->retries++;
        nanosleep(&(struct timespec){.tv_nsec = (long)(chance(buyer) * 999999999)}, NULL);
    }
    return rows;
}
