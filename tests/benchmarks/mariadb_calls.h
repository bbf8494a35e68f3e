/* One user's calls of the store's procedures through MariaDB's own C library: connected, prepared, executed. */

#ifndef MARIADB_CALLS_H
#define MARIADB_CALLS_H

#include <mysql.h>

#include <stdint.h>

enum { MOST_LINES = 10, MOST_PARAMETERS = 25, TEXT_SPACE = 128 };
enum { LOGIN, NEW_CUSTOMER, CATEGORY, ACTOR, TITLE, PRICES, PURCHASE, CALLS };

typedef struct {
    char host[256], database[256], user[256], password[256];
    int port;
} Place;

/* A prepared statement, with room for its parameters. */
typedef struct {
    MYSQL_STMT *statement;
    MYSQL_BIND parameters[MOST_PARAMETERS];
    long long numbers[MOST_PARAMETERS];
    char texts[MOST_PARAMETERS][TEXT_SPACE];
    unsigned long sizes[MOST_PARAMETERS];
} Call;

typedef struct {
    MYSQL *connection;
    Call calls[CALLS];
    uint64_t chance;
    long retries;
    char failure[600]; /* why it can't go on, empty until then */
} Buyer;

/* A fraction from 0 to less than 1, and a whole number below a limit. */
double chance(Buyer *buyer);
int below(Buyer *buyer, int limit);

void set_text(Call *call, int place, const char *text);

/* Connect, and prepare the calls. 0, or -1 with the failure. */
int open_buyer(Buyer *buyer, const Place *place);

/* Execute a call and take all of its results; of the first the rows' first two numbers, if they are asked for. A
 * deadlock's victim waits for up to a second, as an emulated user does, and tries again unless it is over. The rows, or
 * -1, with the failure unless it is over. */
int ask(Buyer *buyer, int kind, long long (*found)[2], const volatile int *is_over);

#endif
