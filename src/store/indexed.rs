//! IndexedDB: one database with one table of byte arrays by name.

use idb::{Database, DatabaseEvent, Error, Factory, ObjectStoreParams, TransactionMode};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};

/// The database's name.
const DATABASE: &str = "capscope";

/// The table.
const TABLE: &str = "kept";

async fn open() -> Result<Database, Error> {
    let mut request = Factory::new()?.open(DATABASE, Some(1))?;
    request.on_upgrade_needed(|event| {
        // Fails only if the table is there already, which a new database's is not.
        let _ = event.database().and_then(|database| database.create_object_store(TABLE, ObjectStoreParams::new()));
    });
    request.await
}

/// The value of a key.
///
/// # Errors
/// A sentence: private windows and blocked cookies refuse the database.
pub async fn read(key: &str) -> Result<Option<Vec<u8>>, String> {
    let value = async {
        let database = open().await?;
        let transaction = database.transaction(&[TABLE], TransactionMode::ReadOnly)?;
        let value = transaction.object_store(TABLE)?.get(JsValue::from(key))?.await?;
        database.close();
        Ok(value)
    };
    let value: Option<JsValue> = value.await.map_err(|error: Error| refused(&error))?;
    Ok(value.and_then(|value| value.dyn_into::<Uint8Array>().ok()).map(|bytes| bytes.to_vec()))
}

/// Puts all entries in one transaction: either all are there afterwards, or none.
///
/// # Errors
/// A sentence, such as when the disk is full.
pub async fn write(entries: Vec<(&'static str, Vec<u8>)>) -> Result<(), String> {
    let outcome = async {
        let database = open().await?;
        let transaction = database.transaction(&[TABLE], TransactionMode::ReadWrite)?;
        let table = transaction.object_store(TABLE)?;
        for (key, bytes) in entries {
            table.put(&Uint8Array::from(bytes.as_slice()), Some(&JsValue::from(key)))?;
        }
        let result = transaction.await?;
        database.close();
        Ok(result.is_committed())
    };
    match outcome.await.map_err(|error: Error| refused(&error))? {
        true => Ok(()),
        false => Err("this browser has not kept the training, its storage may be full".into()),
    }
}

fn refused(error: &Error) -> String {
    format!("this browser keeps nothing for this page ({error}), as in a private window")
}
